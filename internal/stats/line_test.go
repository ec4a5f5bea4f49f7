package stats

import (
	"math"
	"testing"
)

func TestLine(t *testing.T) {
	for _, tc := range []struct {
		name string
		x, y []float64
		want Fitted
	}{
		{"exact", []float64{1, 2, 4}, []float64{13, 16, 22}, Fitted{3, 10, 1}},
		{"flat", []float64{1, 2, 4}, []float64{5, 5, 5}, Fitted{0, 5, 1}},
		{"one place", []float64{2, 2}, []float64{1, 3}, Fitted{0, 2, 0}},
		{"scattered", []float64{0, 1, 2, 3}, []float64{0, 2, 1, 3}, Fitted{0.8, 0.3, 0.64}},
	} {
		got := Line(tc.x, tc.y)
		for _, d := range []float64{got.Slope - tc.want.Slope, got.Intercept - tc.want.Intercept, got.R2 - tc.want.R2} {
			if math.Abs(d) > 1e-12 {
				t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
			}
		}
	}
}
