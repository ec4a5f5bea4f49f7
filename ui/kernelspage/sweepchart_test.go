package kernelspage

import (
	"math"
	"slices"
	"testing"

	"assay/app"
	"assay/internal/chart"
)

// A sweep is drawn along the size that differs, in its order; anything else is not.
func TestSweepModel(t *testing.T) {
	points := outcome().Points
	slices.Reverse(points)
	for i := range points {
		points[i].Sizes["m"] = 8
	}
	points[2].Time.Bounded = false
	m := sweepModel(points)
	if m == nil || m.X.Title != "n" || m.X.Scale != chart.Log2 || m.Y.Scale != chart.Log10 || len(m.Series) != 2 {
		t.Fatalf("%+v", m)
	}
	s := m.Series[0]
	if !slices.Equal(s.X, []float64{256, 4096, 65536}) || s.Y[0] != 12e-6 || !math.IsInf(s.Hi[0], 1) || s.Lo[1] >= s.Y[1] || m.Series[1].Y[2] != points[0].Bytes {
		t.Errorf("%+v", m.Series)
	}
	for i := range points {
		points[i].Bytes, points[i].Rate = 0, 0
	}
	if m := sweepModel(points); len(m.Series) != 1 {
		t.Errorf("a rate that is not known: %+v", m.Series)
	}
	if sweepModel(points[:1]) != nil || sweepModel(nil) != nil {
		t.Error("a chart of one time")
	}
	other := app.OwnPoint{Sizes: map[string]float64{"n": 1, "m": 2}}
	if sweepModel(append(points, other)) != nil {
		t.Error("two sizes differ")
	}
}
