package quant

import (
	"math"
	"slices"
	"testing"
)

// generated are the weights of a [rows, cols] matrix.
func generated(seed uint64, rows, cols int, o Outliers) []float32 {
	w := make([]float32, rows*cols)
	NewGenerator(seed, cols, o).Fill(w)
	return w
}

func TestGeneratorIsSeeded(t *testing.T) {
	const cols = 37
	whole := generated(5, 20, cols, UsualOutliers())
	g, pieces := NewGenerator(5, cols, UsualOutliers()), make([]float32, 20*cols)
	for at := 0; at < len(pieces); at += 11 {
		g.Fill(pieces[at:min(at+11, len(pieces))])
	}
	if !slices.Equal(whole, pieces) {
		t.Error("the weights depend on the pieces they are made in")
	}
	if slices.Equal(whole, generated(6, 20, cols, UsualOutliers())) {
		t.Error("two seeds make the same weights")
	}
}

func TestGeneratorDistribution(t *testing.T) {
	const rows, cols = 500, 400
	deviation := func(w []float32) float64 {
		var sum float64
		for _, v := range w {
			sum += float64(v) * float64(v)
		}
		return math.Sqrt(sum / float64(len(w)))
	}
	if got := deviation(generated(1, rows, cols, Outliers{})); math.Abs(got/sigma-1) > 0.02 {
		t.Errorf("deviation %g, want %g", got, sigma)
	}
	w := generated(1, rows, cols, UsualOutliers())
	large := 0
	for c := range cols {
		column := make([]float32, rows)
		for r := range column {
			column[r] = w[r*cols+c]
		}
		switch got := deviation(column) / sigma; {
		case math.Abs(got-20) < 4:
			large++
		case math.Abs(got-1) > 0.25:
			t.Errorf("column %d has deviation %g·σ, want 1 or 20", c, got)
		}
	}
	if large != 2 {
		t.Errorf("%d outlier columns of %d, want 2 (0.5 %%)", large, cols)
	}
}

func TestGeneratorTakesEdges(t *testing.T) {
	w := generated(1, 3, 1, Outliers{Columns: 1, Scale: 2})
	plain := generated(1, 3, 1, Outliers{})
	for i := range w {
		if float64(w[i]) != 2*float64(plain[i]) {
			t.Errorf("weight %d is %g, want twice %g", i, w[i], plain[i])
		}
	}
	NewGenerator(1, 0, Outliers{}).Fill(nil)
}
