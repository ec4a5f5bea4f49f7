package measure

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// lognormal draws n times with median m.
func lognormal(r *rand.Rand, n int, m, sigma float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = m * math.Exp(sigma*r.NormFloat64())
	}
	return out
}

func TestMedianOfFew(t *testing.T) {
	if iv := Median(nil); !math.IsNaN(iv.Median) || iv.Bounded() {
		t.Errorf("median of nothing is %+v", iv)
	}
	if iv := Median([]float64{3, 1, 2}); iv.Median != 2 || iv.Bounded() || !math.IsInf(iv.Width(), 1) {
		t.Errorf("median of three is %+v", iv)
	}
	if iv := Median([]float64{1, 2, 3, 4, 5, 6}); iv.Median != 3.5 || iv.Lo != 1 || iv.Hi != 6 || !iv.Bounded() {
		t.Errorf("median of six is %+v", iv)
	}
	if iv := (Interval{0, -1, 1}); !math.IsInf(iv.Width(), 1) {
		t.Errorf("width relative to 0 is %g", iv.Width())
	}
	samples := []float64{3, 1, 2}
	if Median(samples); samples[0] != 3 {
		t.Error("the samples were sorted in place")
	}
}

// The interval of the median covers the true median about as often as it claims.
func TestMedianIntervalCovers(t *testing.T) {
	covers(t, 1, func(r *rand.Rand) Interval { return Median(lognormal(r, 20, 1, 0.3)) })
}

// The interval of a ratio covers the truth even if both drift together.
func TestRatioIntervalCovers(t *testing.T) {
	for _, truth := range []float64{1, 1.07, 3} { // 1: a variant against itself
		covers(t, truth, func(r *rand.Rand) Interval {
			a, b := lognormal(r, 24, truth, 0.05), lognormal(r, 24, 1, 0.05)
			for i := range a {
				heat := 1 + 0.5*float64(i)/24
				a[i], b[i] = a[i]*heat, b[i]*heat
			}
			return Ratio(a, b)
		})
	}
}

// covers checks that intervals contain the truth in about Confidence of 1000 seeded draws.
func covers(t *testing.T, truth float64, draw func(*rand.Rand) Interval) {
	t.Helper()
	const draws = 1000
	hits := 0
	for seed := range uint64(draws) {
		iv := draw(rand.New(rand.NewPCG(seed, 42)))
		if iv.Lo <= truth && truth <= iv.Hi {
			hits++
		}
	}
	if hits < 930 {
		t.Errorf("truth %g: %d of %d intervals cover it, want about %g", truth, hits, draws, Confidence*draws)
	}
}

func TestRatioPairs(t *testing.T) {
	if iv := Ratio([]float64{2, 4, 6, 8, 10, 12, 99}, []float64{1, 2, 3, 4, 5, 6}); iv.Median != 2 || iv.Lo != 2 || iv.Hi != 2 {
		t.Errorf("ratio is %+v, want 2", iv)
	}
	if iv := Ratio(nil, []float64{1}); iv.Bounded() || !math.IsNaN(iv.Median) {
		t.Errorf("ratio of nothing is %+v", iv)
	}
}

func TestOutliers(t *testing.T) {
	for _, tc := range []struct {
		samples []float64
		want    int
	}{
		{nil, 0},
		{[]float64{1, 2, 100}, 0}, // too few to tell
		{[]float64{1, 1, 1, 1}, 0},
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 9}, 1},
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 2}, 1}, // the fence is at 1.9
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 1.8}, 0},
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 9, -5}, 2},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 0},
	} {
		if got := outliers(tc.samples); got != tc.want {
			t.Errorf("%v: %d outliers, want %d", tc.samples, got, tc.want)
		}
	}
}

func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ramp := lognormal(r, 60, 1, 0.01)
	for i := range ramp {
		ramp[i] *= 1 + 0.2*float64(i)/59
	}
	if d, ok := drift(ramp); !ok || math.Abs(d-0.125) > 0.03 { // thirds are centred on 1/6 and 5/6 of the ramp
		t.Errorf("a ramp of 20 %% drifts by %g, %v", d, ok)
	}
	wrong := 0
	for seed := range uint64(300) {
		if _, ok := drift(lognormal(rand.New(rand.NewPCG(seed, 9)), 30, 1, 0.1)); ok {
			wrong++
		}
	}
	if wrong > 9 {
		t.Errorf("%d of 300 steady series drift, want about 1 %%", wrong)
	}
	if _, ok := drift([]float64{1, 1, 1, 9, 9, 9}); ok {
		t.Error("six samples were enough to tell a drift")
	}
}

func TestWarningOfFewSamples(t *testing.T) {
	w := warnings([]float64{1, 1, 1}, Options{}.WithDefaults())
	if len(w) != 1 || !strings.Contains(w[0], "only 3 samples") {
		t.Errorf("warnings %q", w)
	}
}
