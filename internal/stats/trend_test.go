package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTrend(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5}
	if got := Trend(x, []float64{1, 3, 5, 7, 9, 11}); got != Exact(2) {
		t.Errorf("a line: %+v", got)
	}
	if got := Trend(x, []float64{1, 3, 5, 7, 9, 1000}); got.Median != 2 {
		t.Errorf("one point is far off: %+v", got)
	}
	if got := Trend(x[:4], []float64{1, 3, 5, 7}); got.Median != 2 || got.Bounded() {
		t.Errorf("four points: %+v", got)
	}
	for _, none := range [][]float64{nil, {1}} {
		if got := Trend(none, none); !math.IsNaN(got.Median) {
			t.Errorf("of %d points: %+v", len(none), got)
		}
	}
}

// The interval covers the slope in at least 95 of 100 series.
func TestTrendCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const series, slope = 2000, 0.3
	for _, n := range []int{5, 8, 12} {
		covered := 0
		for range series {
			var x, y []float64
			for i := range n {
				x, y = append(x, float64(i)), append(y, slope*float64(i)+random.NormFloat64())
			}
			if got := Trend(x, y); got.Lo <= slope && slope <= got.Hi {
				covered++
			}
		}
		if share := float64(covered) / series; share < 0.945 {
			t.Errorf("of %d points %.1f %% cover the slope", n, 100*share)
		}
	}
}
