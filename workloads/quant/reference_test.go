package quant

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// generated are the weights of a [rows, cols] matrix.
func generated(seed uint64, rows, cols int, o Outliers) []float32 {
	w := make([]float32, rows*cols)
	NewGenerator(seed, cols, o).Fill(w)
	return w
}

func quantize(t *testing.T, w []float32, rows, cols int, f Format, s Scheme) *Quantized {
	t.Helper()
	q, err := Reference(w, rows, cols, f, s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func errorsOf(t *testing.T, want, got []float32) *Errors {
	t.Helper()
	var e Errors
	if err := e.Add(want, got); err != nil {
		t.Fatal(err)
	}
	return &e
}

func TestErrorsByHand(t *testing.T) {
	e := errorsOf(t, []float32{3, -4, 0}, []float32{3, -3, 0})
	if e.Count != 3 || e.MaxAbs != 1 || e.Overflows != 0 {
		t.Errorf("count %d, max %g, overflows %d", e.Count, e.MaxAbs, e.Overflows)
	}
	if got, want := e.Rel(), 0.2; math.Abs(got-want) > 1e-15 {
		t.Errorf("relative error %g, want %g", got, want)
	}
	if got, want := e.SNR(), 10*math.Log10(25); math.Abs(got-want) > 1e-12 {
		t.Errorf("SNR %g dB, want %g dB", got, want)
	}
	if got, want := e.Cosine(), 21/(5*math.Sqrt(18)); math.Abs(got-want) > 1e-15 {
		t.Errorf("cosine %g, want %g", got, want)
	}
}

func TestErrorsAtTheEdges(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, tc := range []struct {
		name               string
		want, got          []float32
		overflows          int
		max, rel, snr, cos float64
	}{
		{"exact", []float32{1, 2}, []float32{1, 2}, 0, 0, 0, math.Inf(1), 1},
		{"none", nil, nil, 0, 0, 0, math.Inf(1), 1},
		{"zeros", []float32{0, 0}, []float32{0, 0}, 0, 0, 0, math.Inf(1), 1},
		{"all lost", []float32{1, 2}, []float32{0, 0}, 0, 2, 1, 0, math.NaN()},
		{"from zero", []float32{0}, []float32{1}, 0, 1, math.Inf(1), math.Inf(-1), math.NaN()},
		{"overflow", []float32{70000, 1}, []float32{inf, 1}, 1, math.Inf(1), math.Inf(1), math.Inf(-1), math.NaN()},
		{"overflows", []float32{70000, -70000, 1}, []float32{inf, -inf, 1}, 2, math.Inf(1), math.Inf(1), math.Inf(-1), math.NaN()},
		{"no number", []float32{1, 2}, []float32{nan, 2}, 0, math.NaN(), math.NaN(), math.NaN(), math.NaN()},
		{"largest", []float32{math.MaxFloat32}, []float32{-math.MaxFloat32}, 0, 2 * math.MaxFloat32, 2, -20 * math.Log10(2), -1},
	} {
		e := errorsOf(t, tc.want, tc.got)
		got := []float64{e.MaxAbs, e.Rel(), e.SNR(), e.Cosine()}
		want := []float64{tc.max, tc.rel, tc.snr, tc.cos}
		close := func(a, b float64) bool {
			return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Abs(b)
		}
		if !slices.EqualFunc(got, want, close) || e.Overflows != tc.overflows {
			t.Errorf("%s: max, rel, SNR, cosine %v with %d overflows, want %v with %d", tc.name, got, e.Overflows, want, tc.overflows)
		}
	}
}

func TestErrorsDoNotDependOnThePieces(t *testing.T) {
	w := generated(1, 10, 100, Outliers{})
	got := quantize(t, w, 10, 100, Format{Int4, 32}, Affine).Dequantize()
	var pieces Errors
	for at := 0; at < len(w); at += 77 {
		end := min(at+77, len(w))
		if err := pieces.Add(w[at:end], got[at:end]); err != nil {
			t.Fatal(err)
		}
	}
	if whole := errorsOf(t, w, got); *whole != pieces {
		t.Errorf("in pieces %+v, at once %+v", pieces, *whole)
	}
	if err := pieces.Add(w[:2], got[:1]); err == nil || !strings.Contains(err.Error(), "2 originals with 1") {
		t.Errorf("unequal lengths: %v", err)
	}
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

func TestReferenceByHand(t *testing.T) {
	q := quantize(t, []float32{-1, 0, 0.5, 2}, 1, 4, Format{Kind: Int4}, Affine)
	if q.Scale[0] != 0.2 || q.Zero[0] != -3 || !slices.Equal(q.Codes, []int8{-8, -3, 0, 7}) { // 0.5/0.2 − 3 = −0.5 → 0
		t.Errorf("affine: codes %v, scale %v, zero %v", q.Codes, q.Scale, q.Zero)
	}
	q = quantize(t, []float32{-1, 0, 0.5, 3.5}, 1, 4, Format{Kind: Int4}, Symmetric)
	if q.Scale[0] != 0.5 || q.Zero[0] != 0 || !slices.Equal(q.Codes, []int8{-2, 0, 1, 7}) {
		t.Errorf("symmetric: codes %v, scale %v, zero %v", q.Codes, q.Scale, q.Zero)
	}
}

func TestReferenceErrorBound(t *testing.T) {
	const rows, cols = 9, 301
	for _, o := range []Outliers{{}, UsualOutliers()} {
		w := generated(3, rows, cols, o)
		for _, s := range []Scheme{Affine, Symmetric} {
			for _, f := range Formats(MinBlock, MaxBlock)[3:] {
				q := quantize(t, w, rows, cols, f, s)
				if len(q.Scale) != f.Scales(rows, cols) || len(q.Zero) != len(q.Scale) {
					t.Fatalf("%v: %d scales, %d zero points, want %d", f, len(q.Scale), len(q.Zero), f.Scales(rows, cols))
				}
				for i, got := range q.Dequantize() {
					half := math.Abs(q.Scale[q.block(i)]) / 2
					if d := math.Abs(float64(got) - float64(w[i])); d > half*(1+1e-6)+1e-9 {
						t.Fatalf("%v %v: weight %d is off by %g, more than half a step %g", f, s, i, d, half)
					}
				}
			}
		}
	}
}

func TestReferenceEdges(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   []float32
		want []float32
	}{
		{"constant", []float32{0.3, 0.3, 0.3}, []float32{0.3, 0.3, 0.3}},
		{"negative constant", []float32{-7e30, -7e30}, []float32{-7e30, -7e30}},
		{"zeros", []float32{0, 0}, []float32{0, 0}},
		{"subnormal constant", []float32{1e-40, 1e-40}, []float32{0, 0}},
		{"subnormal range", []float32{-1e-40, 1e-40}, []float32{0, 0}},
		{"none", []float32{}, []float32{}},
	} {
		for _, k := range []Kind{Int8, Int4} {
			for _, s := range []Scheme{Affine, Symmetric} {
				q := quantize(t, tc.in, 1, len(tc.in), Format{Kind: k}, s)
				if got := q.Dequantize(); !slices.Equal(got, tc.want) {
					t.Errorf("%s as %v %v: %v, want %v", tc.name, k, s, got, tc.want)
				}
			}
		}
	}
	for _, f := range []Format{{Kind: F32}, {Kind: F16}, {Kind: BF16}} {
		if _, err := Reference(nil, 0, 0, f, Affine); err == nil {
			t.Errorf("%v was quantized", f)
		}
	}
	if _, err := Reference(make([]float32, 5), 2, 3, Format{Kind: Int8}, Affine); err == nil ||
		!strings.Contains(err.Error(), "5 weights for a [2, 3] matrix") {
		t.Errorf("wrong shape: %v", err)
	}
}

func TestSmallerBlocksLoseLess(t *testing.T) {
	const rows, cols = 64, 512
	for _, o := range []Outliers{{}, UsualOutliers()} {
		w := generated(11, rows, cols, o)
		for _, k := range []Kind{Int8, Int4} {
			for _, s := range []Scheme{Affine, Symmetric} {
				last := math.Inf(1)
				for _, block := range []int{0, 256, 128, 64, 32} {
					got := quantize(t, w, rows, cols, Format{k, block}, s).Dequantize()
					rel := errorsOf(t, w, got).Rel()
					if rel >= last {
						t.Errorf("%v block %d %v: relative error %g, no better than %g with larger blocks", k, block, s, rel, last)
					}
					last = rel
				}
			}
		}
	}
}
