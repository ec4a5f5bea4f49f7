package weightspage

import (
	"math"

	"assay/app"
	"assay/internal/chart"
)

// curveModel plots the size of a model over the SNR of its weights: for every plan as a line, for each format alone, and for
// the current plan. Without a survey it says so.
func curveModel(s *app.Survey, curve []app.PlanPoint, p *app.WeightsPlan) *chart.Model {
	if s == nil || p == nil {
		return &chart.Model{Unavailable: "Size against signal to noise, after a survey"}
	}
	plans := chart.Series{Name: "Plans", Kind: chart.LineKind}
	for _, at := range curve {
		plans.X, plans.Y = append(plans.X, float64(at.Bytes)), append(plans.Y, at.SNR)
	}
	alone := chart.Series{Name: "One format", Kind: chart.PointKind}
	for _, f := range s.Formats {
		if !math.IsInf(f.SNR, 0) && !math.IsNaN(f.SNR) {
			alone.X, alone.Y, alone.Labels = append(alone.X, float64(f.Bytes)), append(alone.Y, f.SNR), append(alone.Labels, f.Name)
		}
	}
	m := &chart.Model{X: chart.Axis{Title: "Size", Unit: chart.Bytes}, Y: chart.Axis{Title: "SNR, dB"}, Series: []chart.Series{plans, alone}}
	if !math.IsInf(p.SNR, 0) {
		m.Series = append(m.Series, chart.Series{
			Name: "This plan", Kind: chart.PointKind, Marker: chart.Ring, Hollow: true, Ink: true, X: []float64{float64(p.Bytes)}, Y: []float64{p.SNR},
		})
	}
	return m
}
