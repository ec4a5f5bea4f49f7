package view

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"assay/app"
	"assay/internal/chart"
	"assay/workloads"
)

// pointLabel is the text beside a point: what tells it from its neighbours in a scatter, and what a finding calls it.
func pointLabel(c *app.Chart, p *app.ChartPoint) string {
	if c.Kind != workloads.Scatter {
		if slices.Contains(lineMarks(), p.Mark) {
			return "" // a line marks it
		}
		return p.Mark
	}
	parts := []string{lastPart(p.Label)}
	if p.Mark != "" {
		mark := p.Mark
		if c.X.Unit == "dB" {
			mark += " with enough SNR" // of the wanted one; others may be faster
		}
		parts = append(parts, "("+mark+")")
	}
	return strings.Join(parts, " ")
}

// lastPart is the variant in the label of a point.
func lastPart(label string) string {
	if i := strings.LastIndex(label, ", "); i >= 0 {
		return label[i+2:]
	}
	return label
}

// lineMarks are the marks that divide an axis: what lies to the right is different from what lies to the left.
func lineMarks() []string { return []string{"knee", "crossover"} }

// addMarks draws a line at each knee and crossover. Where series have theirs at different places, each is named.
func addMarks(m *chart.Model, c *app.Chart) {
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
func crossing(c *app.Chart, curve []app.ChartPoint) float64 {
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
		m.Series = append(m.Series, chart.Series{Name: r.Variant, Kind: chart.Bars})
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
