package abpage

import (
	"math"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/si"
	"assay/workloads"
)

// abCharts are the ratio and the times of a comparison, by round.
func abCharts(r *app.ABResult) []chart.Chart {
	ratio := chart.Chart{Title: "Ratio", Model: ratioModel(r)}
	return []chart.Chart{ratio, {Title: "Times", Model: timesModel(r)}}
}

// pairApart is the distance between the two pairs of a round.
const pairApart = 0.14

func placeOf(i int, p *app.ABPair) float64 {
	return float64(p.Round) + pairApart*float64(2*(i%2)-1)
}

// ratioModel is B's speed relative to A's in each pair, with the range that counts as the same and the interval of the median.
func ratioModel(r *app.ABResult) *chart.Model {
	m := &chart.Model{
		X: chart.Axis{Title: "Round of A B B A", Whole: true}, Y: chart.Axis{Title: "Speed of B, where that of A is 1"},
		Rules: []chart.Rule{{Y: 1, Label: "A"}},
	}
	quiet, disturbed := chart.Series{Name: "a pair", Kind: chart.PointKind}, chart.Series{Name: "disturbed", Kind: chart.PointKind, Hollow: true}
	for i, p := range r.Pairs() {
		s := &quiet
		if p.Disturbed {
			s = &disturbed
		}
		s.X, s.Y = append(s.X, placeOf(i, &p)), append(s.Y, p.A/p.B)
	}
	for _, s := range []chart.Series{quiet, disturbed} {
		if s.Len() > 0 {
			m.Series = append(m.Series, s)
		}
	}
	if r.Plan.Matters > 0 {
		m.Bands = append(m.Bands, chart.Band{Lo: 1 - r.Plan.Matters, Hi: 1 + r.Plan.Matters, Label: "the same"})
	}
	if s := r.Speedup; s.Bounded() {
		m.Rules = append(m.Rules, chart.Rule{Y: s.Median, Label: "median " + si.Ratio(s.Median)})
		m.Bands = append(m.Bands, chart.Band{Lo: s.Lo, Hi: s.Hi, Label: "95 %"})
	}
	return m
}

// timesModel is the times of both sides.
func timesModel(r *app.ABResult) *chart.Model {
	title := "Time"
	if r.PerOp {
		title = "Time for each operation"
	}
	a, b := chart.Series{Name: "A", Kind: chart.PointKind}, chart.Series{Name: "B", Kind: chart.PointKind}
	for i, p := range r.Pairs() {
		at := placeOf(i, &p)
		a.X, a.Y, b.X, b.Y = append(a.X, at), append(a.Y, p.A), append(b.X, at), append(b.Y, p.B)
	}
	return &chart.Model{
		X: chart.Axis{Title: "Round of A B B A", Whole: true}, Y: chart.Axis{Title: title, Unit: chart.Seconds, FromZero: true}, Series: []chart.Series{a, b},
	}
}

// crossChart is B's speed relative to A's by place.
func crossChart(w *workloads.Workload, r *app.CrossResult) chart.Chart {
	m := &chart.Model{
		X: chart.Axis{Title: alongTitle(w, r.Plan.Along), Scale: chart.Log2}, Y: chart.Axis{Title: "Speed of B, where that of A is 1"},
		Rules: []chart.Rule{{Y: 1, Label: "equal"}}, HideLegend: true,
	}
	s := chart.Series{Name: "B against A", ShowMarkers: true, Whiskers: true}
	for i := range r.Points {
		p := &r.Points[i]
		s.X, s.Y = append(s.X, float64(p.At)), append(s.Y, p.Speedup.Median)
		s.Lo, s.Hi = append(s.Lo, p.Speedup.Lo), append(s.Hi, p.Speedup.Hi)
	}
	m.Series = []chart.Series{s}
	if r.Found {
		m.Marks = []chart.Mark{{X: r.At, Lo: float64(r.Lo), Hi: float64(r.Hi), Label: "crossing"}}
	}
	return chart.Chart{Title: "Crossover", Model: m}
}

// crossDone estimates how much of a bisection is done, from the width of what is left.
func crossDone(r *app.CrossResult) float64 {
	p := &r.Plan
	if !r.Found {
		return 0.05 * float64(len(r.Points))
	}
	whole, left := math.Log(float64(p.To)/float64(p.From)), math.Log(float64(r.Hi)/float64(r.Lo))
	reach := math.Log(1 + p.Width)
	steps, now := math.Log2(whole/reach), math.Log2(max(left, reach)/reach)
	return 0.1 + 0.9*(1-now/max(steps, 1))
}
