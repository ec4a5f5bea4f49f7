package report

import (
	"math"
	"slices"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// TableColumn is a column of Table.
type TableColumn struct {
	*Column
	Head  string
	Texts []string // one for each result
}

// RatioText is a ratio with its interval: "1.42× (1.40–1.44)".
func RatioText(i stats.Interval) string {
	switch {
	case !finite(i.Median):
		return ""
	case !i.Bounded():
		return si.Ratio(i.Median)
	}
	return si.Ratio(i.Median) + " (" + si.Digits(i.Lo) + "–" + si.Digits(i.Hi) + ")"
}

// Notes is what a reader must know in addition to the numbers: the marks, why there is no time, and the warnings; in plain
// text.
func Notes(r *workloads.Result) []string {
	var notes []string
	if len(r.Marks) > 0 {
		notes = append(notes, "◆ "+r.MarkText())
	}
	if r.Status != workloads.OK {
		notes = append(notes, r.WithoutTime())
	}
	if r.Number(workloads.TimesAgain) > 0 {
		notes = append(notes, measuredAgain(r))
	}
	for _, w := range r.Warnings {
		notes = append(notes, w.Text)
	}
	for i := range notes {
		notes[i] = plain.Text(notes[i])
	}
	return notes
}

// measuredAgain says how often a result was discarded and repeated: "measured again 2 times, after cooling down for 3.25 s".
func measuredAgain(r *workloads.Result) string {
	text := "measured again"
	if n := int(r.Number(workloads.TimesAgain)); n > 1 {
		text += " " + si.Counted(n, "time")
	}
	if cooled := r.Number(workloads.CooledBefore); cooled > 0 {
		text += ", after cooling down for " + si.Time(cooled)
	}
	return text
}

// Table returns the results of a run for people: three significant digits, with unit, in plain text. It has the default
// columns, except those that are empty in all rows; case and variant are always the first two.
func Table(meta *bundle.Meta, all []workloads.Workload, results []workloads.Result) []TableColumn {
	picked := make([]*workloads.Result, len(results))
	for i := range results {
		picked[i] = &results[i]
	}
	var out []TableColumn
	heads := map[string]bool{}
	columns := Columns(meta, all)
	for i := range columns {
		c := &columns[i]
		if !c.Default || c.Name == "workload" || c.Name == "status" { // already in the notes
			continue
		}
		head, texts := c.compact(picked)
		if c.Name == "case" || c.Name == "variant" || slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
			out = append(out, TableColumn{c, c.distinct(head, heads), texts})
		}
	}
	return out
}

// distinct returns the head of a column; its title if a rate before it has the same unit as its head.
func (c *Column) distinct(head string, heads map[string]bool) string {
	if c.rate != "" && heads[head] {
		head = c.Title + ", " + head
	}
	heads[head] = true
	return head
}

// compact returns the head and the cells of a table for a terminal. Rates share one unit per column. The rate of an
// amount that is 1 in each result is omitted: it only repeats the time.
func (c *Column) compact(results []*workloads.Result) (head string, texts []string) {
	head, cell := c.short()
	if c.rate != "" && c.scaled() {
		unit, factor := c.commonUnit(results)
		head, cell = unit, func(r *workloads.Result) string { return known(si.Digits(c.Value(r) / factor)) }
	}
	many := map[string]bool{}
	for _, r := range results {
		many[r.Workload] = many[r.Workload] || r.Number(c.rate) > 1
	}
	texts = make([]string, len(results))
	for i, r := range results {
		if c.rate == "" || many[r.Workload] {
			texts[i] = cell(r)
		}
	}
	return head, texts
}

// scaled reports whether each number of the column has its own SI prefix when shown alone.
func (c *Column) scaled() bool { return c.value != nil && si.Find(c.Unit).Kind == si.Scaled }

// commonUnit is the unit with the SI prefix of the median value.
func (c *Column) commonUnit(results []*workloads.Result) (unit string, factor float64) {
	sum, n := 0.0, 0
	for _, r := range results {
		if v := c.Value(r); v > 0 && finite(v) {
			sum += math.Log(v)
			n++
		}
	}
	if n == 0 {
		return c.Unit, 1
	}
	u := si.Find(c.Unit)
	exp := u.Exponent(math.Exp(sum / float64(n)))
	return u.Name(exp), u.Power(exp)
}
