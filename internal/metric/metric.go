// Package metric describes the numbers of a result as data: their meaning, unit, and derivation from others. Columns of
// files and tables, axes, comparisons and exports are built from a List of descriptions.
package metric

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Name is a metric's name in files. It is stable, in lower_snake, and includes the unit: "time_s", "bytes_per_s".
type Name string

// Better is the direction in which a metric is better.
type Better string

// Directions. The zero value is for a metric that is neither good nor bad.
const (
	Neither Better = ""
	Less    Better = "less"
	More    Better = "more"
)

// Shape is the form of a metric's value.
type Shape string

// Shapes.
const (
	Interval Shape = "interval" // a median with its 95 % interval
	Scalar   Shape = "scalar"   // one number
	Count    Shape = "count"    // a whole number
	Text     Shape = "text"
)

// Group is a section of a result's metrics.
type Group string

// Groups. The zero value is for times, and for everything without a group.
const (
	Times    Group = ""
	Counters Group = "counters"
	Memory   Group = "memory"
	Power    Group = "power"
)

// Groups lists the groups with their titles, in display order.
func Groups() []struct {
	Group Group
	Title string
} {
	return []struct {
		Group Group
		Title string
	}{{Times, "Times"}, {Counters, "Counters"}, {Memory, "Memory"}, {Power, "Power"}}
}

// In returns the list with all metrics in a group, except those that already have one.
func (l List) In(g Group) List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Group == Times {
			out[i].Group = g
		}
	}
	return out
}

// Untimed returns the list with all metrics marked as independent of any clock.
func (l List) Untimed() List {
	out := slices.Clone(l)
	for i := range out {
		out[i].Untimed = true
	}
	return out
}

// Metric describes one figure of a result.
type Metric struct {
	Name   Name   `json:"name"`
	Title  string `json:"title"`
	Short  string `json:"short_title,omitempty"` // for narrow columns; empty: Title
	Unit   string `json:"unit,omitempty"`        // SI: "s", "B", "FLOP/s", "dB"; "×" for a ratio; empty: none
	About  string `json:"about,omitempty"`       // one sentence: what it measures
	Better Better `json:"better,omitempty"`
	Shape  Shape  `json:"shape"`
	Shown  bool   `json:"shown,omitempty"` // in tables, unless the user chooses
	// Spare orders the columns that a table drops when space is short, the largest first. 0: never.
	Spare int `json:"-"`
	// Group is the section that the metric belongs to; empty: Times.
	Group Group `json:"group,omitempty"`
	// Missing explains why a result may have no value; empty: no explanation.
	Missing string `json:"-"`
	// Phrase is how a sentence about a result states the value, "%s signal to noise"; empty: it does not.
	Phrase string `json:"-"`
	// Untimed is true for a metric that depends on the work and not on a clock, such as bytes held: disturbances of times do not
	// affect it.
	Untimed bool `json:"-"`
	// Work is true for a metric that describes the work: results that differ in it did different work.
	Work bool `json:"work,omitempty"`
	// Of and Per define a derived metric: the quotient of two others in the same list. Empty: it is recorded.
	Of  Name `json:"of,omitempty"`
	Per Name `json:"per,omitempty"`
}

// Derived reports whether the metric is computed from others.
func (m *Metric) Derived() bool { return m.Of != "" }

// Heading returns the title for narrow columns.
func (m *Metric) Heading() string {
	if m.Short != "" {
		return m.Short
	}
	return m.Title
}

// Columns returns the names under which a value is written: one, or for a recorded interval the median, the lower and the upper bound.
// The bounds of a derived metric follow from the metrics that it is derived from.
func (m *Metric) Columns() []string {
	name := string(m.Name)
	if m.Shape != Interval || m.Derived() {
		return []string{name}
	}
	stem, unit := name, si.Find(m.Unit).Suffix
	if s, ok := strings.CutSuffix(name, unit); ok {
		stem = s
	} else {
		unit = ""
	}
	return []string{name, stem + "_lo" + unit, stem + "_hi" + unit}
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// List is metrics in display order. Names and columns are unique.
type List []Metric

// Find returns the metric with that name.
func (l List) Find(name Name) (*Metric, bool) {
	for i := range l {
		if l[i].Name == name {
			return &l[i], true
		}
	}
	return nil, false
}

// With returns the list with others appended; of two metrics with the same name, the first is kept.
func (l List) With(others ...Metric) List {
	out := slices.Clone(l)
	for i := range others {
		if _, ok := out.Find(others[i].Name); !ok {
			out = append(out, others[i])
		}
	}
	return out
}

// Check returns an error that names the first invalid metric.
func (l List) Check() error {
	seen := map[string]bool{}
	for i := range l {
		m := &l[i]
		if err := l.checkOne(m); err != nil {
			return fmt.Errorf("metric %q: %w", m.Name, err)
		}
		for _, c := range m.Columns() {
			if seen[c] {
				return fmt.Errorf("metric %q: duplicate column %q", m.Name, c)
			}
			seen[c] = true
		}
	}
	return nil
}

func (l List) checkOne(m *Metric) error {
	switch m.Shape {
	case Interval, Scalar, Count, Text:
	default:
		return fmt.Errorf("invalid shape %q: want interval, scalar, count or text", m.Shape)
	}
	if !validName.MatchString(string(m.Name)) {
		return fmt.Errorf("invalid name: want lower_snake")
	}
	if m.Title == "" || m.About == "" {
		return fmt.Errorf("no title, or nothing that says what it is of")
	}
	if rate := strings.HasSuffix(m.Unit, "/s"); rate && !strings.HasSuffix(string(m.Name), "_per_s") {
		return fmt.Errorf("invalid name for a rate: want ..._per_s")
	}
	if m.Unit == "s" && !strings.HasSuffix(string(m.Name), "_s") {
		return fmt.Errorf("invalid name for a time: want ..._s")
	}
	for _, from := range []Name{m.Of, m.Per} {
		if _, ok := l.Find(from); from != "" && !ok {
			return fmt.Errorf("derived from %q, which is not in the list", from)
		}
	}
	if (m.Of == "") != (m.Per == "") {
		return fmt.Errorf("a derived metric needs both Of and Per")
	}
	return nil
}

// Derive adds the list's derived metrics to values. A quotient whose divisor is not positive, or whose dividend is
// unknown, is unknown.
func (l List) Derive(v *Values) {
	for i := range l {
		m := &l[i]
		if !m.Derived() {
			continue
		}
		if q := quotient(v.Get(m.Of), v.Get(m.Per)); !math.IsNaN(q.Median) {
			v.Set(m.Name, q)
		}
	}
}

// quotient returns a over b at the ends of their intervals; an amount is its own interval.
func quotient(a, b stats.Interval) stats.Interval {
	if math.IsNaN(a.Median) || !(b.Median > 0) {
		return stats.Unknown()
	}
	q := stats.Interval{Median: a.Median / b.Median, Lo: math.Inf(-1), Hi: math.Inf(1)}
	if a.Bounded() && b.Bounded() && b.Lo > 0 {
		q.Lo, q.Hi = min(a.Lo/b.Hi, a.Lo/b.Lo), max(a.Hi/b.Lo, a.Hi/b.Hi)
	}
	return q
}
