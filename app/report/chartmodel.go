package report

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"assay/internal/chart"
	"assay/workloads"
)

// Model is the chart for the renderers of the window and of the report.
func (c *Chart) Model() *chart.Model {
	_, unit := PlotUnit(c.Y.Unit)
	title := strings.TrimSuffix(c.X.Title+" ("+c.X.Unit+")", " ()")
	m := &chart.Model{
		X: chart.Axis{Title: title, Scale: chartScale(c.X.Scale), Categories: c.X.Categories},
		Y: chart.Axis{Title: c.Y.Title, Unit: unit, Scale: chartScale(c.Y.Scale)},
	}
	for i := range c.Series {
		m.Series = append(m.Series, plotSeries(c, i))
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

func plotSeries(c *Chart, i int) chart.Series {
	factor, _ := PlotUnit(c.Y.Unit)
	s := chart.Series{Name: c.Series[i].Name, Kind: chartKind(c.Kind), ShowMarkers: true, Whiskers: true}
	for _, p := range c.Series[i].Points {
		s.X, s.Y = append(s.X, p.X), append(s.Y, p.Y*factor)
		s.Lo, s.Hi = append(s.Lo, p.Lo*factor), append(s.Hi, p.Hi*factor)
		s.Labels = append(s.Labels, besideLabel(c, &p))
	}
	return s
}

// PlotUnit is the chart widget's unit for one of the results, which the widget scales by itself.
func PlotUnit(unit string) (factor float64, u chart.Unit) {
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
		return chart.BarKind
	case workloads.Scatter:
		return chart.PointKind
	}
	return chart.LineKind
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

// besideLabel is the text beside a point: what tells it from its neighbours in a scatter, and what a finding calls it.
func besideLabel(c *Chart, p *Point) string {
	if c.Kind != workloads.Scatter {
		if slices.Contains(lineMarks(), p.Mark) {
			return "" // a line marks it
		}
		return p.Mark
	}
	parts := []string{LastPart(p.Label)}
	if p.Mark != "" {
		mark := p.Mark
		if c.X.Unit == "dB" {
			mark += " with enough SNR" // of the wanted one; others may be faster
		}
		parts = append(parts, "("+mark+")")
	}
	return strings.Join(parts, " ")
}

// LastPart is the variant in the label of a point.
func LastPart(label string) string {
	if i := strings.LastIndex(label, ", "); i >= 0 {
		return label[i+2:]
	}
	return label
}

// lineMarks are the marks that divide an axis: what lies to the right is different from what lies to the left.
func lineMarks() []string { return []string{"knee", "crossover"} }

// addMarks draws a line at each knee and crossover. Where series have theirs at different places, each is named.
func addMarks(m *chart.Model, c *Chart) {
	byPlace := map[float64][]string{}
	var places []float64
	for _, s := range c.Series {
		for i, p := range s.Points {
			if !slices.Contains(lineMarks(), p.Mark) {
				continue
			}
			x := p.X
			if p.Mark == "crossover" {
				x = crossing(c, s.Points[:i+1])
			}
			if byPlace[x] == nil {
				places = append(places, x)
			}
			byPlace[x] = append(byPlace[x], s.Name)
			if len(byPlace[x]) == 1 {
				m.Marks = append(m.Marks, chart.Mark{X: x, Label: p.Mark})
			}
		}
	}
	if len(places) > 1 {
		for i, x := range places {
			m.Marks[i].Label += " " + strings.Join(byPlace[x], ", ")
		}
	}
}

// crossing is where a curve that ends at a crossover, the first size that is slower, last came through the reference.
func crossing(c *Chart, curve []Point) float64 {
	to := curve[len(curve)-1]
	for _, from := range slices.Backward(curve[:len(curve)-1]) {
		if from.Y <= c.Reference || from.Y <= to.Y {
			to = from
			continue
		}
		part := max(0, min(1, (from.Y-c.Reference)/(from.Y-to.Y)))
		if c.X.Scale == workloads.Linear {
			return from.X + part*(to.X-from.X)
		}
		return from.X * math.Pow(to.X/from.X, part)
	}
	return curve[len(curve)-1].X
}

// addFront joins the points of a scatter that no other beats on both axes: more is better on both.
func addFront(m *chart.Model) {
	type point struct{ x, y float64 }
	var all, front []point
	for i := range m.Series {
		for j := range m.Series[i].Len() {
			x, y := m.Series[i].At(j)
			all = append(all, point{x, y})
		}
	}
	slices.SortFunc(all, func(a, b point) int {
		switch {
		case a.x > b.x || a.x == b.x && a.y > b.y:
			return -1
		case a.x == b.x && a.y == b.y:
			return 0
		}
		return 1
	})
	best := math.Inf(-1)
	for _, p := range all {
		if p.y > best {
			front, best = append(front, p), p.y
		}
	}
	if len(front) < 2 {
		return
	}
	grey := color.NRGBA{R: 128, G: 128, B: 134, A: 255}
	s := chart.Series{Name: "best trade-offs", Color: grey, Marker: chart.NoMarker, Dash: chart.Dashed}
	for _, p := range slices.Backward(front) {
		s.X, s.Y = append(s.X, p.x), append(s.Y, p.y)
	}
	m.Series = append(m.Series, s)
}
