package quant

import (
	"math"
	"slices"
	"strings"
	"testing"
)

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
	if got, want := e.RMS(), math.Sqrt(1.0/3); math.Abs(got-want) > 1e-15 {
		t.Errorf("root mean square %g, want %g", got, want)
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
		{"no number", []float32{1, 2}, []float32{nan, 2}, 1, math.NaN(), math.NaN(), math.NaN(), math.NaN()},
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
	p, _ := encoded(t, w, 10, 100, Format{Kind: Int4, Block: 32})
	got := decoded(t, p)
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
