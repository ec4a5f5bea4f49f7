// Package view shows what pages have in common: results as charts, readings as live charts, numbers in words.
package view

import (
	"slices"
	"strings"

	"assay/app"
	"assay/internal/chart"
	"assay/workloads"
)

// Plot is one chart of a workload's results.
type Plot struct {
	Title  string // empty if there is one chart only
	Model  *chart.Model
	Pair   string // value of the view's Series whose variants stand side by side; empty: it is another chart
	Split  string // value of the view's Split that the chart is for; empty: there is none
	Newest bool   // it holds the newest point of live tuning
}

// Plots draws results as their workload's view says: a chart per value of Split and per quantity on the X axis, a
// series per value of Series; and where the view compares variants along a size, their bars side by side. A result that
// was not verified is not drawn.
func Plots(w *workloads.Workload, results []workloads.Result) []Plot {
	return PlotsWith(w, results, nil)
}

// PlotsWith draws results, and the points of live tuning as hollow marks in the charts that they belong to. The newest
// is the last of them, and has its value beside it.
func PlotsWith(w *workloads.Workload, results []workloads.Result, tuned []app.Tuned) []Plot {
	charts := app.Charts(results, w)
	ran := len(charts)
	points := app.Charts(app.Points(tuned), w)
	for i := range points {
		if chartLike(charts, &points[i]) < 0 {
			charts = append(charts, withoutSeries(points[i]))
		}
	}
	list := make([]Plot, len(charts))
	for i := range charts {
		list[i] = Plot{Title: plotTitle(charts, i), Split: charts[i].Split, Model: plotModel(&charts[i], w)}
	}
	compared := pairs(w, results)
	for i := range list {
		if len(compared) > 0 {
			list[i].Title = strings.TrimSpace("Speed-up " + list[i].Title)
		}
	}
	newest := newestResult(tuned)
	for _, c := range curves(tuned, w) {
		for k := range c.tuned {
			for r := range c.tuned[k].Results {
				addTuned(list, charts, &c, &c.tuned[k].Results[r], newest, w)
			}
		}
	}
	for i := range list {
		list[i].Newest = list[i].Newest || i >= ran && len(tuned) == 1
		inOrder(list[i].Model)
	}
	for i := range points {
		if at := chartLike(charts, &points[i]); at >= ran {
			frame(list[at].Model, &points[i], tuned, w)
		}
	}
	return append(list, compared...)
}

// plotTitle says what chart i shows that the others do not.
func plotTitle(charts []app.Chart, i int) string {
	splits, axes := false, false
	for _, c := range charts {
		splits = splits || c.Split != charts[i].Split
		axes = axes || c.Split == charts[i].Split && c.X.Title != charts[i].X.Title
	}
	var parts []string
	if splits {
		parts = append(parts, charts[i].Split)
	}
	if axes {
		parts = append(parts, "by "+strings.ToLower(charts[i].X.Title))
	}
	return strings.Join(parts, ", ")
}

// plotModel is a chart whose series have the places that they have among all of the workload.
func plotModel(c *app.Chart, w *workloads.Workload) *chart.Model {
	m := c.Model()
	for i := range c.Series {
		m.Series[i].Place = placeOf(w, c.Series[i].Name)
	}
	return m
}

// placeOf is the place of a series among all that the workload can have, from 1 on, whichever were measured; 0: it is not
// known.
func placeOf(w *workloads.Workload, name string) int {
	for _, p := range w.Params {
		if p.Name == w.View.Series || p.Name == w.View.Series+"s" {
			return 1 + slices.Index(slices.DeleteFunc(slices.Clone(p.Choices), func(s string) bool { return s == "all" }), name)
		}
	}
	return 0
}
