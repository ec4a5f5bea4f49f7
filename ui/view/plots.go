// Package view has what pages share: results as charts, readings as live charts, numbers as text.
package view

import (
	"slices"
	"strings"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/workloads"
)

// Plot is one chart of a workload's results.
type Plot struct {
	*chart.Chart
	Name   string // its name among the others; empty if there is only one
	Newest bool   // it has the newest point of live tuning
}

// Plots draws results by their workload's views. Unverified results are not drawn.
func Plots(w *workloads.Workload, results []workloads.Result) []Plot {
	return PlotsWith(w, results, nil, nil)
}

// PlotsWith draws results of a run with the values of, and points of live tuning as hollow marks in their charts. The
// newest point is the last one.
func PlotsWith(w *workloads.Workload, results []workloads.Result, of workloads.Values, tuned []app.Tuned) []Plot {
	charts := w.Charts(results)
	ran := len(charts)
	points := tunable(w.Charts(app.Points(tuned)))
	for i := range points {
		if chartLike(charts, &points[i]) < 0 {
			charts = append(charts, withoutSeries(&points[i]))
		}
	}
	list := make([]Plot, len(charts))
	for i := range charts {
		list[i] = Plot{Chart: &charts[i], Name: nameOf(charts, i)}
	}
	newest := newestResult(tuned)
	for _, c := range curves(w, tuned, of) {
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
	return inViewOrder(w, list)
}

// inViewOrder puts charts made only by live tuning next to the others of their view.
func inViewOrder(w *workloads.Workload, list []Plot) []Plot {
	place := func(p Plot) int {
		for i := range w.Views {
			if p.View == &w.Views[i] {
				return i
			}
		}
		return len(w.Views)
	}
	slices.SortStableFunc(list, func(a, b Plot) int { return place(a) - place(b) })
	return list
}

// tunable returns the charts that show points of live tuning: an extra bar would move all others.
func tunable(charts []chart.Chart) []chart.Chart {
	return slices.DeleteFunc(charts, func(c chart.Chart) bool { return c.Model.X.Scale == chart.Category })
}

// nameOf names what only chart i shows.
func nameOf(charts []chart.Chart, i int) string {
	c := &charts[i]
	if c.View.Title != "" {
		return c.Title
	}
	splits, axes, values, titled := false, false, false, false
	for k := range charts {
		o := &charts[k]
		if titled = titled || o.View.Title != ""; o.View.Title != "" {
			continue
		}
		splits = splits || o.Facet != c.Facet
		axes = axes || o.Facet == c.Facet && o.Model.X.Title != c.Model.X.Title
		values = values || o.Y.Title != c.Y.Title
	}
	name := ""
	switch {
	case titled && splits:
		name = c.Y.Title + " " + c.Facet
	case values && splits:
		name = plain.Capitalized(c.Facet) + ": " + c.Y.Title
	case titled, values:
		name = c.Y.Title
	case splits:
		name = c.Facet
	}
	if axes && splits {
		name += ","
	}
	if axes {
		name += " by " + strings.ToLower(c.X.Title)
	}
	return strings.TrimSpace(name)
}
