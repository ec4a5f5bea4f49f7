package stats

import (
	"math"
	"math/rand/v2"
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
	if e := Median(nil); !math.IsNaN(e.Median) || e.Bounded() || e.N != 0 {
		t.Errorf("median of nothing is %+v", e)
	}
	if e := Median([]float64{3, 1, 2}); e.Median != 2 || e.Bounded() || !math.IsInf(e.Width(), 1) {
		t.Errorf("median of three is %+v", e)
	}
	if e := Median([]float64{4, 1, 7, 2, 6, 3, 5}); e.Median != 4 || e.Bounded() {
		t.Errorf("median of seven is %+v", e)
	}
	if e := Median([]float64{4, 1, 7, 2, 8, 6, 3, 5}); e.Median != 4.5 || e.Lo != 1 || e.Hi != 8 || !e.Bounded() {
		t.Errorf("median of eight is %+v", e)
	}
	if e := Median([]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}); e.Lo != 0.1 || e.Hi != 0.1 || e.Tau != 1 || e.Effective() != 8 {
		t.Errorf("median of equal samples is %+v", e)
	}
	if iv := (Interval{0, -1, 1}); !math.IsInf(iv.Width(), 1) {
		t.Errorf("width relative to 0 is %g", iv.Width())
	}
	samples := []float64{3, 1, 2}
	if Median(samples); samples[0] != 3 {
		t.Error("the samples were sorted in place")
	}
}

// covers checks that intervals contain the truth in at least 93 % of 1000 seeded draws.
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

// The interval of the median covers the true median about as often as it claims.
func TestMedianIntervalCovers(t *testing.T) {
	covers(t, 1, func(r *rand.Rand) Interval { return Median(lognormal(r, 20, 1, 0.3)).Interval })
}

// The interval of a speedup covers the truth even if both drift together.
func TestSpeedupIntervalCovers(t *testing.T) {
	for _, truth := range []float64{1, 1.07, 3} { // 1: a variant against itself
		covers(t, truth, func(r *rand.Rand) Interval {
			a, b := lognormal(r, 48, truth, 0.05), lognormal(r, 48, 1, 0.05)
			for i := range a {
				heat := 1 + 0.5*float64(i)/48
				a[i], b[i] = a[i]*heat, b[i]*heat
			}
			return Speedup(a, b).Interval
		})
	}
}

// The interval accounts for correlation that an interval for independent samples ignores.
func TestTauOfCorrelatedSeries(t *testing.T) {
	for _, tc := range []struct{ rho, want float64 }{{0, 1}, {0.3, 1.55}, {0.6, 2.98}, {0.9, 13.3}} {
		sum := 0.0
		const runs = 100
		for seed := range uint64(runs) {
			r := rand.New(rand.NewPCG(seed, 3))
			z, series := r.NormFloat64(), make([]float64, 3000)
			for i := range series {
				z = tc.rho*z + math.Sqrt(1-tc.rho*tc.rho)*r.NormFloat64()
				series[i] = math.Exp(0.01 * z)
			}
			sum += Median(series).Tau / runs
		}
		if sum < 0.97*tc.want || sum > 1.6*tc.want {
			t.Errorf("autocorrelation %g: Tau is %.2f on average, want %.2f or somewhat more", tc.rho, sum, tc.want)
		}
	}
}

// A far outlier does not hide the correlation of the other samples.
func TestTauBesideAnOutlier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	z, series := 0.0, make([]float64, 1000)
	for i := range series {
		z = 0.9*z + math.Sqrt(1-0.81)*r.NormFloat64()
		series[i] = math.Exp(0.01 * z)
	}
	series[500] = 1e6
	if e := Median(series); e.Tau < 6 {
		t.Errorf("Tau is %.1f beside an outlier, want about 13", e.Tau)
	}
}

func TestSpeedupTakesRounds(t *testing.T) {
	base, variant := make([]float64, 33), make([]float64, 32)
	for i := range variant {
		variant[i] = float64(1 + i)
		base[i] = 2 * variant[i]
	}
	base[32] = 99 // an excess sample
	if e := Speedup(base, variant); math.Abs(e.Median-2) > 1e-12 || math.Abs(e.Lo-2) > 1e-12 || math.Abs(e.Hi-2) > 1e-12 || e.N != 16 {
		t.Errorf("speedup is %+v, want 2 of 16 rounds", e)
	}
	if e := Speedup(nil, []float64{1}); e.Bounded() || !math.IsNaN(e.Median) {
		t.Errorf("speedup over nothing is %+v", e)
	}
	if e := Speedup([]float64{3}, []float64{2}); e.Median != 1.5 || e.Bounded() {
		t.Errorf("speedup of one sample is %+v", e)
	}
	if e := Speedup([]float64{3, 3}, []float64{2, 2}); math.Abs(e.Median-1.5) > 1e-12 || e.Bounded() || !math.IsInf(e.Lo, -1) {
		t.Errorf("speedup of one round is %+v", e)
	}
}

func TestJudge(t *testing.T) {
	for _, tc := range []struct {
		lo, hi float64
		want   Verdict
	}{
		{0.995, 1.006, Same},
		{1.001, 1.008, Same}, // it is faster, but by too little to matter
		{1.001, 1.02, Faster},
		{1.5, 1.6, Faster},
		{0.9, 0.95, Slower},
		{0.97, 0.999, Slower},
		{0.98, 1.005, Unsure},
		{0.5, 2, Unsure},
		{math.Inf(-1), math.Inf(1), Unsure},
	} {
		if got := (Rule{Matters: 0.01}).Judge(Interval{(tc.lo + tc.hi) / 2, tc.lo, tc.hi}); got != tc.want {
			t.Errorf("%g to %g is %s, want %s", tc.lo, tc.hi, got, tc.want)
		}
	}
	if got := (Rule{Matters: 0.01}).Judge(Unknown()); got != Unsure {
		t.Errorf("nothing known is %s", got)
	}
}

// If the comparison itself adds noise, only differences beyond that count, and all evidence must agree.
func TestJudgeAboveANoiseFloor(t *testing.T) {
	between := func(lo, hi float64) Interval { return Interval{(lo + hi) / 2, lo, hi} }
	for _, tc := range []struct {
		ratios []Interval
		want   Verdict
	}{
		{nil, Unsure},
		{[]Interval{between(0.99, 1.015)}, Same},
		{[]Interval{between(1.001, 1.05)}, Unsure},
		{[]Interval{between(1.03, 1.05)}, Faster},
		{[]Interval{between(1.03, 1.05), between(1.021, 1.5)}, Faster},
		{[]Interval{between(1.03, 1.05), between(0.99, 1.01)}, Unsure},
		{[]Interval{between(0.99, 1.01), between(0.99, 1.03)}, Unsure},
		{[]Interval{between(0.9, 0.97)}, Slower},
		{[]Interval{between(0.9, 0.97), between(0.97, 0.99)}, Unsure},
		{[]Interval{between(0.9, 0.97), Unknown()}, Unsure},
		{[]Interval{between(0.9, 0.97), Unbounded(0.9)}, Unsure},
	} {
		if got := (Rule{Floor: 0.02}).Judge(tc.ratios...); got != tc.want {
			t.Errorf("%v is %s, want %s", tc.ratios, got, tc.want)
		}
	}
}

// For series that were not interleaved, the interval allows for both medians' uncertainty and for drift.
func TestApart(t *testing.T) {
	steady, rising := make([]float64, 30), make([]float64, 30)
	for i := range steady {
		steady[i], rising[i] = 2+0.001*float64(i%5), 1+0.01*float64(i)
	}
	ratio, fastest := Apart(steady, rising)
	if m := 2.002 / 1.145; math.Abs(ratio.Median-m) > 1e-9 || ratio.Lo > 2.0/1.25 || ratio.Hi < 2.0/1.045 {
		t.Errorf("ratio %+v, want about %v, as wide as the drift", ratio, m)
	}
	if fastest.Lo > 2.0/1.2 || fastest.Hi < 2.0/1.02 || !fastest.Bounded() {
		t.Errorf("fastest tenths %+v", fastest)
	}
	if ratio, _ := Apart(steady[:7], steady); ratio.Bounded() || math.Abs(ratio.Median-1) > 0.01 {
		t.Errorf("ratio of seven samples %+v", ratio)
	}
	if ratio, _ := Apart(nil, steady); !math.IsNaN(ratio.Median) || ratio.Bounded() {
		t.Errorf("ratio of nothing %+v", ratio)
	}
}

func TestOutliers(t *testing.T) {
	for _, tc := range []struct {
		samples []float64
		want    int
	}{
		{nil, 0},
		{[]float64{1, 2, 100}, 0}, // too few to judge
		{[]float64{1, 1, 1, 1}, 0},
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 9}, 1},
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 2}, 1}, // the fence is at 1.9
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 1.8}, 0},
		{[]float64{1, 1.1, 1.2, 1.3, 1.1, 1.2, 9, -5}, 2},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, 0},
	} {
		if got := Outliers(tc.samples); got != tc.want {
			t.Errorf("%v: %d outliers, want %d", tc.samples, got, tc.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.1: 1, 0.5: 3, 0.9: 5, 1: 5} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("there is a quantile of nothing")
	}
}

func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ramp := lognormal(r, 60, 1, 0.01)
	for i := range ramp {
		ramp[i] *= 1 + 0.2*float64(i)/59
	}
	if d, ok := Drift(ramp); !ok || math.Abs(d-0.18) > 0.03 { // tenths are centered on 1/20 and 19/20 of the ramp
		t.Errorf("a ramp of 20 %% drifts by %g, %v", d, ok)
	}
	wrong := 0
	for seed := range uint64(300) {
		if _, ok := Drift(lognormal(rand.New(rand.NewPCG(seed, 9)), 30, 1, 0.1)); ok {
			wrong++
		}
	}
	if wrong > 9 {
		t.Errorf("%d of 300 steady series drift, want about 1 %%", wrong)
	}
	if _, ok := Drift([]float64{1, 1, 1, 9, 9, 9}); ok {
		t.Error("six samples were enough to tell a drift")
	}
}

func TestModes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	level := func(n int, at float64) []float64 { return lognormal(r, n, at, 0.005) }
	var rare, often []float64
	for i := range 4 {
		rare = append(rare, level(50, 1+0.1*float64(i%2))...)
	}
	for i := range 100 {
		often = append(often, level(2, 1+0.1*float64(i%2))...)
	}
	if low, high, ok := Modes(rare); !ok || math.Abs(low-1) > 0.01 || math.Abs(high-1.1) > 0.01 {
		t.Errorf("two levels with three switches: %g, %g, %v", low, high, ok)
	}
	if _, _, ok := Modes(often); ok {
		t.Error("two levels with many switches are taken for rare ones")
	}
	wrong := 0
	for range 300 {
		if _, _, ok := Modes(level(100, 1)); ok {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d of 300 series of one level have two", wrong)
	}
	if _, _, ok := Modes([]float64{1, 1, 1, 1, 1, 1}); ok {
		t.Error("a constant series has two levels")
	}
}

// Blocks cover a series evenly in whole rounds; the more its samples depend on each other, the fewer they are.
func TestBlocks(t *testing.T) {
	if got := Blocks([]float64{1, 3, 5, 7}, 20); len(got) != 2 || got[0] != 2 || got[1] != 6 {
		t.Errorf("two rounds: %v", got)
	}
	if got := Blocks([]float64{5}, 20); len(got) != 1 || got[0] != 5 {
		t.Errorf("one sample: %v", got)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	free := lognormal(rng, 1000, 1, 0.1)
	if got := Blocks(free, 20); len(got) != 20 {
		t.Errorf("%d blocks of independent samples, want 20", len(got))
	}
	x := 0.0
	for i := range free {
		x = 0.97*x + 0.03*rng.NormFloat64()
		free[i] = math.Exp(x)
	}
	if got := Blocks(free, 20); len(got) >= 12 {
		t.Errorf("%d blocks of correlated samples", len(got))
	}
}
