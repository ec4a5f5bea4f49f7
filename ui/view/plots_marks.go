package view

import (
	"slices"
	"strings"

	"assay/internal/chart"
	"assay/workloads"
)

// pairs draws, for each value of the view's Series, the throughput of the variants side by side along the sizes, where
// the view shows only their ratio.
func pairs(w *workloads.Workload, results []workloads.Result) []Plot {
	if w.View.Y != workloads.Speedup || w.View.Kind != workloads.Lines || w.View.Series == "" {
		return nil
	}
	var list []Plot
	var names []string
	for i := range results {
		r := &results[i]
		name, _ := r.Setting(w.View.Series).(string)
		if r.Workload != w.Name || r.Status != workloads.OK || name == "" || !(r.GFLOPS() > 0) {
			continue
		}
		at := slices.Index(names, name)
		if at < 0 {
			at = len(names)
			names = append(names, name)
			list = append(list, Plot{Title: "Side by side: " + name, Pair: name, Model: &chart.Model{
				X: chart.Axis{Scale: chart.Category}, Y: chart.Axis{Title: "Throughput", Unit: "FLOP/s", FromZero: true},
			}})
		}
		addBar(list[at].Model, w, r)
	}
	return list
}

// addBar adds the bar of a result to the group of its size.
func addBar(m *chart.Model, w *workloads.Workload, r *workloads.Result) {
	size, title := sizeOf(w, r)
	at := slices.Index(m.X.Categories, size)
	if at < 0 {
		at = len(m.X.Categories)
		m.X.Categories, m.X.Title = append(m.X.Categories, size), title
	}
	if r.Mark == "crossover" {
		m.Marks = append(m.Marks, chart.Mark{X: max(0, float64(at)-0.5), Label: r.Mark}) // between the last that pays and this
	}
	i := slices.IndexFunc(m.Series, func(s chart.Series) bool { return s.Name == r.Variant })
	if i < 0 {
		i = len(m.Series)
		m.Series = append(m.Series, chart.Series{Name: r.Variant, Kind: chart.BarKind})
	}
	s, rate := &m.Series[i], r.Quantity(workloads.Throughput)
	s.X, s.Y = append(s.X, float64(at)), append(s.Y, rate.Median*1e9)
	s.Lo, s.Hi = append(s.Lo, rate.Lo*1e9), append(s.Hi, rate.Hi*1e9)
}

// sizeOf is where a result stands on the view's X axis, in words, and the axis's title.
func sizeOf(w *workloads.Workload, r *workloads.Result) (size, title string) {
	for _, q := range w.View.X {
		v := r.Setting(string(q))
		if v == nil {
			continue
		}
		for _, a := range w.Axes {
			if a.Name == string(q) {
				title = strings.TrimSuffix(a.Title+" ("+a.Unit+")", " ()")
			}
		}
		if n, ok := v.(int); ok {
			return Count(n), title
		}
	}
	return r.Case, title
}
