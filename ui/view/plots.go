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

func plotModel(c *app.Chart, w *workloads.Workload) *chart.Model {
	_, unit := plotUnit(c.Y.Unit)
	title := strings.TrimSuffix(c.X.Title+" ("+c.X.Unit+")", " ()")
	m := &chart.Model{
		X: chart.Axis{Title: title, Scale: chartScale(c.X.Scale), Categories: c.X.Categories},
		Y: chart.Axis{Title: c.Y.Title, Unit: unit, Scale: chartScale(c.Y.Scale)},
	}
	for i := range c.Series {
		m.Series = append(m.Series, plotSeries(c, i))
		m.Series[i].Place = placeOf(w, c.Series[i].Name)
	}
	if c.Reference != 0 {
		m.Rules = append(m.Rules, chart.Rule{Y: c.Reference, Label: "no difference"})
	}
	addMarks(m, c)
	if c.Kind == workloads.Scatter {
		addFront(m)
	}
	return m
}

func plotSeries(c *app.Chart, i int) chart.Series {
	factor, _ := plotUnit(c.Y.Unit)
	s := chart.Series{Name: c.Series[i].Name, Kind: chartKind(c.Kind), ShowMarkers: true, Whiskers: true}
	for _, p := range c.Series[i].Points {
		s.X, s.Y = append(s.X, p.X), append(s.Y, p.Y*factor)
		s.Lo, s.Hi = append(s.Lo, p.Lo*factor), append(s.Hi, p.Hi*factor)
		s.Labels = append(s.Labels, pointLabel(c, &p))
	}
	return s
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

// plotUnit is the chart widget's unit for one of the results, which the widget scales by itself.
func plotUnit(unit string) (factor float64, u chart.Unit) {
	switch unit {
	case "s":
		return 1, chart.Seconds
	case "GFLOP/s":
		return 1e9, "FLOP/s"
	case "GB/s":
		return 1e9, "B/s"
	case "items/s":
		return 1, "/s"
	case "×":
		return 1, chart.None
	}
	return 1, chart.Unit(unit)
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
