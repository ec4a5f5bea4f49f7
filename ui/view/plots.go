// Package view shows what pages have in common: results as charts, readings as live charts, numbers in words.
package view

import (
	"image/color"
	"math"
	"strings"

	"assay/app"
	"assay/ui/chart"
	"assay/workloads"
)

// Plot is one chart of a workload's results.
type Plot struct {
	Title string // empty if there is one chart only
	Model *chart.Model
}

// Plots draws results as their workload's view says: a chart per value of Split and per quantity on the X axis, a
// series per value of Series. A result that was not verified is not drawn.
func Plots(w *workloads.Workload, results []workloads.Result) []Plot {
	charts := app.Charts(results, w)
	list := make([]Plot, len(charts))
	for i := range charts {
		list[i] = Plot{Title: plotTitle(charts, i), Model: plotModel(&charts[i])}
	}
	return list
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

func plotModel(c *app.Chart) *chart.Model {
	_, unit := plotUnit(c.Y.Unit)
	title := strings.TrimSuffix(c.X.Title+" ("+c.X.Unit+")", " ()")
	m := &chart.Model{
		X: chart.Axis{Title: title, Scale: chartScale(c.X.Scale), Categories: c.X.Categories},
		Y: chart.Axis{Title: c.Y.Title, Unit: unit, Scale: chartScale(c.Y.Scale)},
	}
	for i := range c.Series {
		m.Series = append(m.Series, plotSeries(c, i))
	}
	addReference(m, c.Reference)
	return m
}

func plotSeries(c *app.Chart, i int) chart.Series {
	factor, _ := plotUnit(c.Y.Unit)
	s := chart.Series{Name: c.Series[i].Name, Kind: chartKind(c.Kind), ShowMarkers: true}
	for _, p := range c.Series[i].Points {
		s.X, s.Y = append(s.X, p.X), append(s.Y, p.Y*factor)
		s.Lo, s.Hi = append(s.Lo, p.Lo*factor), append(s.Hi, p.Hi*factor)
		s.Labels = append(s.Labels, p.Mark)
	}
	return s
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

// addReference adds a horizontal line over the width of the series; 0 is none.
func addReference(m *chart.Model, ref float64) {
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
