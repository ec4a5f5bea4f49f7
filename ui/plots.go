package ui

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"assay/ui/chart"
	"assay/workloads"
)

// plot is one chart of a workload's results.
type plot struct {
	title string // empty if there is one chart only
	split string // the value of the view's Split
	x     workloads.Quantity
	model *chart.Model
}

// plots draws results as their workload's view says: a chart per value of Split and per quantity on the X axis, a
// series per value of Series. A result that was not verified is not drawn.
func plots(w *workloads.Workload, results []workloads.Result) []plot {
	var list []plot
	for i := range results {
		r := &results[i]
		if r.Status != workloads.OK || w.View.Y == workloads.Speedup && r.Baseline == "" {
			continue // a baseline is what the others are compared with
		}
		x, from := abscissa(&w.View, r)
		y := r.Quantity(w.View.Y)
		if drawable(x, w.View.XScale) && drawable(y.Median, w.View.YScale) {
			m := plotFor(&list, w, r, from)
			factor := quantityFactor(w.View.Y)
			addPoint(m, w, r, x, y.Median*factor, y.Lo*factor, y.Hi*factor)
		}
	}
	for i := range list {
		list[i].title = plotTitle(list, i)
		addReference(list[i].model, w)
	}
	return list
}

// plotFor finds the chart that a result belongs to, or adds it.
func plotFor(list *[]plot, w *workloads.Workload, r *workloads.Result, x workloads.Quantity) *chart.Model {
	split := ""
	if w.View.Split != "" {
		split = fmt.Sprint(r.Setting(w.View.Split))
	}
	for _, p := range *list {
		if p.split == split && p.x == x {
			return p.model
		}
	}
	m := newPlotModel(w, x)
	*list = append(*list, plot{split: split, x: x, model: m})
	return m
}

// plotTitle says what chart i shows that the others do not.
func plotTitle(list []plot, i int) string {
	splits, axes := false, false
	for _, p := range list {
		splits = splits || p.split != list[i].split
		axes = axes || p.split == list[i].split && p.x != list[i].x
	}
	var parts []string
	if splits {
		parts = append(parts, list[i].split)
	}
	if axes {
		parts = append(parts, "by "+strings.ToLower(list[i].model.X.Title))
	}
	return strings.Join(parts, ", ")
}

func drawable(v float64, s workloads.Scale) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	return v > 0 || s != workloads.Log2 && s != workloads.Log10
}

// abscissa is the first of the view's X quantities that a result has.
func abscissa(v *workloads.View, r *workloads.Result) (float64, workloads.Quantity) {
	for _, q := range v.X {
		if x := r.Quantity(q).Median; !math.IsNaN(x) {
			return x, q
		}
	}
	return math.NaN(), ""
}

func newPlotModel(w *workloads.Workload, x workloads.Quantity) *chart.Model {
	title, unit := quantityAxis(w, x)
	ytitle, yunit := quantityAxis(w, w.View.Y)
	if w.View.YTitle != "" {
		ytitle = w.View.YTitle
	}
	return &chart.Model{
		X: chart.Axis{Title: title, Unit: unit, Scale: chartScale(w.View.XScale)},
		Y: chart.Axis{Title: ytitle, Unit: yunit, Scale: chartScale(w.View.YScale)},
	}
}

func addPoint(m *chart.Model, w *workloads.Workload, r *workloads.Result, x, y, lo, hi float64) {
	name := r.Variant
	if w.View.Series != "" {
		name = fmt.Sprint(r.Setting(w.View.Series))
	}
	at := slices.IndexFunc(m.Series, func(s chart.Series) bool { return s.Name == name })
	if at < 0 {
		m.Series = append(m.Series, chart.Series{Name: name, Kind: chartKind(w.View.Kind), ShowMarkers: true})
		at = len(m.Series) - 1
	}
	s := &m.Series[at]
	i, _ := slices.BinarySearch(s.X, x)
	s.X, s.Y = slices.Insert(s.X, i, x), slices.Insert(s.Y, i, y)
	s.Lo, s.Hi = slices.Insert(s.Lo, i, lo), slices.Insert(s.Hi, i, hi)
	s.Labels = slices.Insert(s.Labels, i, r.Mark)
}

// addReference adds the view's horizontal line.
func addReference(m *chart.Model, w *workloads.Workload) {
	ref := w.View.Reference
	if ref == 0 {
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range m.Series {
		for _, x := range m.Series[i].X {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo < hi {
		grey := color.NRGBA{R: 128, G: 128, B: 134, A: 255}
		m.Series = append(m.Series, chart.Series{
			Name: "no difference", X: []float64{lo, hi}, Y: []float64{ref, ref}, Color: grey, Dash: chart.Dotted,
		})
	}
}

func chartKind(k workloads.Kind) chart.Kind {
	switch k {
	case workloads.Bars:
		return chart.Bars
	case workloads.Scatter:
		return chart.Points
	}
	return chart.Line
}

func chartScale(s workloads.Scale) chart.Scale {
	switch s {
	case workloads.Log2:
		return chart.Log2
	case workloads.Log10:
		return chart.Log10
	case workloads.Category:
		return chart.Category
	}
	return chart.Linear
}

// quantityFactor brings a quantity to its SI unit.
func quantityFactor(q workloads.Quantity) float64 {
	if q == workloads.Throughput || q == workloads.Bandwidth {
		return 1e9
	}
	return 1
}

// quantityAxis is the title and the unit of an axis for a quantity.
func quantityAxis(w *workloads.Workload, q workloads.Quantity) (string, chart.Unit) {
	switch q {
	case workloads.Time:
		return "Time", chart.Seconds
	case workloads.Throughput:
		return "Throughput", "FLOP/s"
	case workloads.Bandwidth:
		return "Bandwidth", "B/s"
	case workloads.ItemRate:
		return "Items per second", "/s"
	case workloads.Speedup:
		return "Speed-up", chart.None
	case workloads.SNR:
		return "Signal to noise", "dB"
	}
	for _, a := range w.Axes {
		if a.Name == string(q) {
			return strings.TrimSuffix(a.Title+" ("+a.Unit+")", " ()"), chart.None
		}
	}
	return string(q), chart.None
}
