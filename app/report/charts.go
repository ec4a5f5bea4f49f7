package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/workloads"
)

// Chart is what to draw of a workload's results, in SI units; it knows no widget and no picture format.
type Chart struct {
	Workload  string
	Title     string
	Split     string // the value of the view's Split that the chart is for; empty: there is none
	Kind      workloads.Kind
	X, Y      Axis
	Series    []Series
	Reference float64 // a horizontal line; 0: none
	Notes     []string
}

// Axis of a chart.
type Axis struct {
	Title string
	Unit  string // SI; empty for none
	Scale workloads.Scale
	// Categories name the positions 0, 1, 2 … of a Category axis.
	Categories []string
}

// Series is points that belong together. The points of Lines are in order of X.
type Series struct {
	Name   string
	Points []Point
}

// Point is a median with its interval: Lo and Hi equal Y where there is none.
type Point struct {
	X, Y, Lo, Hi float64
	Label        string // the case and variant
	Mark         string // "knee", "crossover"
}

// Charts lists what to draw of a workload: a chart per value of its view's Split, and per quantity on the X axis,
// because matrix sides and vector lengths share no axis. Results that failed are never drawn; a note counts them.
func Charts(results []workloads.Result, w *workloads.Workload) []Chart {
	var charts []Chart
	for i := range results {
		res := &results[i]
		if res.Workload != w.Name || w.View.Y == "" {
			continue
		}
		addResult(&charts, w, res)
	}
	charts = slices.DeleteFunc(charts, func(c Chart) bool { return len(c.Series) == 0 })
	for i := range charts {
		charts[i].finish()
	}
	return charts
}

func addResult(charts *[]Chart, w *workloads.Workload, r *workloads.Result) {
	c := chartFor(charts, w, r)
	y := r.Quantity(w.View.Y)
	if r.Status != workloads.OK {
		c.Notes = append(c.Notes, fmt.Sprintf("Not drawn: %s, %s (%s)", r.Case, r.Variant, reasonText(r)))
		return
	}
	if w.View.Y == workloads.Speedup && r.Baseline == "" {
		return // it is what the others are compared with
	}
	x := c.position(w, r)
	if !finite(x) || !finite(y.Median) || outside(x, c.X.Scale) || outside(y.Median, c.Y.Scale) {
		c.Notes = append(c.Notes, fmt.Sprintf("Not drawn: %s, %s (no finite value on both axes)", r.Case, r.Variant))
		return
	}
	p := Point{X: x, Y: y.Median, Lo: y.Lo, Hi: y.Hi, Label: pointLabel(w, r), Mark: r.Mark}
	if !finite(p.Lo) || !finite(p.Hi) || outside(p.Lo, c.Y.Scale) {
		p.Lo, p.Hi = p.Y, p.Y
	}
	c.add(seriesName(w, r), p)
}

// outside reports whether a logarithmic axis has no place for v.
func outside(v float64, s workloads.Scale) bool {
	return v <= 0 && (s == workloads.Log2 || s == workloads.Log10)
}

// chartFor finds the chart that a result belongs to, or adds it.
func chartFor(charts *[]Chart, w *workloads.Workload, r *workloads.Result) *Chart {
	x := xQuantity(w, r)
	c := Chart{
		Workload: w.Name, Kind: w.View.Kind, Reference: w.View.Reference,
		X: axisOf(w, x), Y: axisOf(w, w.View.Y),
	}
	c.X.Scale, c.Y.Scale = w.View.XScale, w.View.YScale
	if w.View.YTitle != "" {
		c.Y.Title = w.View.YTitle
	}
	if w.View.Kind == workloads.Bars {
		c.X.Scale = workloads.Category
	}
	if v := r.Setting(w.View.Split); w.View.Split != "" && v != nil {
		c.Split = settingText(v)
	}
	c.Title = chartTitle(w, r, &c)
	for i := range *charts {
		if (*charts)[i].Title == c.Title {
			return &(*charts)[i]
		}
	}
	*charts = append(*charts, c)
	return &(*charts)[len(*charts)-1]
}

func chartTitle(w *workloads.Workload, r *workloads.Result, c *Chart) string {
	title := axisOf(w, w.View.Y).Title
	if c.X.Title != "" {
		title += " by " + lowerFirst(c.X.Title)
	}
	if v := r.Setting(w.View.Split); w.View.Split != "" && v != nil {
		title = fmt.Sprintf("%s: %s", splitText(v), lowerFirst(title))
	}
	return title
}

// splitText is a setting as the start of a title: a short word is an abbreviation.
func splitText(v any) string {
	text := settingText(v)
	if len(text) <= 3 {
		return strings.ToUpper(text)
	}
	return upperFirst(text)
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// xQuantity is the first X of the view that the result has.
func xQuantity(w *workloads.Workload, r *workloads.Result) workloads.Quantity {
	for _, q := range w.View.X {
		if r.Setting(string(q)) != nil || !math.IsNaN(r.Quantity(q).Median) {
			return q
		}
	}
	if len(w.View.X) > 0 {
		return w.View.X[0]
	}
	return ""
}

// axisOf names a quantity or an axis of the workload.
func axisOf(w *workloads.Workload, q workloads.Quantity) Axis {
	switch q {
	case workloads.Time:
		return Axis{Title: "Time", Unit: "s"}
	case workloads.Throughput:
		return Axis{Title: "Throughput", Unit: "GFLOP/s"}
	case workloads.Bandwidth:
		return Axis{Title: "Bandwidth", Unit: "GB/s"}
	case workloads.ItemRate:
		return Axis{Title: "Items per second", Unit: "items/s"}
	case workloads.Speedup:
		return Axis{Title: "Speed-up", Unit: "×"}
	case workloads.SNR:
		return Axis{Title: "Signal to noise", Unit: "dB"}
	}
	for _, a := range w.Axes {
		if a.Name == string(q) {
			return Axis{Title: a.Title, Unit: a.Unit}
		}
	}
	return Axis{Title: string(q)}
}

// position is where a result stands on the X axis; on a Category axis, the place of its name.
func (c *Chart) position(w *workloads.Workload, r *workloads.Result) float64 {
	q := xQuantity(w, r)
	if c.X.Scale != workloads.Category {
		return r.Quantity(q).Median
	}
	name := r.Case
	if v := r.Setting(string(q)); v != nil {
		name = settingText(v)
	}
	at := slices.Index(c.X.Categories, name)
	if at < 0 {
		at = len(c.X.Categories)
		c.X.Categories = append(c.X.Categories, name)
	}
	return float64(at)
}

func settingText(v any) string { return csvText(settingCell(v)) }

func pointLabel(w *workloads.Workload, r *workloads.Result) string {
	if w.View.Kind == workloads.Scatter { // the series is told by the colour and the legend
		return cmp.Or(strings.TrimSpace(strings.TrimPrefix(r.Variant, seriesName(w, r))), r.Variant)
	}
	return r.Case + ", " + r.Variant
}

// seriesName is the value of the view's Series, or the variant.
func seriesName(w *workloads.Workload, r *workloads.Result) string {
	if v := r.Setting(w.View.Series); w.View.Series != "" && v != nil {
		return settingText(v)
	}
	return r.Variant
}

func (c *Chart) add(series string, p Point) {
	for i := range c.Series {
		if c.Series[i].Name == series {
			c.Series[i].Points = append(c.Series[i].Points, p)
			return
		}
	}
	c.Series = append(c.Series, Series{series, []Point{p}})
}

// finish puts lines in order.
func (c *Chart) finish() {
	if c.Kind != workloads.Lines {
		return
	}
	for i := range c.Series {
		slices.SortStableFunc(c.Series[i].Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
}
