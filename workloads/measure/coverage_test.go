//go:build !race

// A single goroutine simulates tens of thousands of measurements here; the race detector has nothing to find.

package measure

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/stats"
)

// A trial aggregates many measurements of one truth.
type trial struct {
	runs, covered, warned, silent int // silent: missed the truth without a warning
	estimates, widths, samples    []float64
}

func (tr *trial) add(e stats.Interval, truth float64, warned bool, n int) {
	tr.within(e, truth, truth, warned, n)
}

// within adds a measurement of a truth that lies between two values.
func (tr *trial) within(e stats.Interval, low, high float64, warned bool, n int) {
	tr.runs++
	hit := e.Lo <= high && low <= e.Hi
	if hit {
		tr.covered++
	}
	if warned {
		tr.warned++
	}
	if !hit && !warned {
		tr.silent++
	}
	tr.estimates = append(tr.estimates, e.Median)
	tr.widths = append(tr.widths, e.Hi-e.Lo)
	tr.samples = append(tr.samples, float64(n))
}

// ideal is the width of a 95 % interval computed from the true scatter of the estimate.
func (tr *trial) ideal() float64 {
	m, sum := mean(tr.estimates), 0.0
	for _, v := range tr.estimates {
		sum += (v - m) * (v - m)
	}
	return 2 * 1.96 * math.Sqrt(sum/float64(tr.runs-1))
}

// check fails if the intervals of a trial cover too rarely, or are needlessly wide.
func (tr *trial) check(t *testing.T, name string) {
	t.Helper()
	cover, wide := 100*float64(tr.covered)/float64(tr.runs), mean(tr.widths)/tr.ideal()
	t.Logf("%s: coverage %.1f %%, width %.2f of the ideal, %.0f samples, %d of %d warned", name, cover, wide, mean(tr.samples),
		tr.warned, tr.runs)
	if cover < 93 {
		t.Errorf("%s: %.1f %% of the intervals cover the truth, want 93 %%", name, cover)
	}
	if wide > 1.5 {
		t.Errorf("%s: the intervals are %.2f times the ideal width, want at most 1.5", name, wide)
	}
}

// patterned reports whether a warning says that the interval is unreliable.
func patterned(ws []Warning) bool {
	for _, w := range ws {
		if w.Kind == Drifting || w.Kind == RareModes {
			return true
		}
	}
	return false
}

// simulate measures variants whose true times are disturbed by noise, either independent or shared as on a real machine, with the
// usual stopping rules.
func simulate(t *testing.T, seed uint64, next func(r *rand.Rand) func() float64, common bool, o Options, truths ...float64) []Result {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 77))
	shared := next(r)
	var st stage
	var scripts []*script
	for i, truth := range truths {
		own := shared
		if !common {
			own = next(r)
		}
		s := &script{name: string(rune('a' + i)), time: func(int) float64 { return 0.001 * truth * own() }}
		if i > 0 {
			s.base = "a"
		}
		scripts = append(scripts, s)
	}
	return st.run(t, o, scripts...)
}

func simulated() Options { return Options{Budget: time.Hour, MaxSamples: 20_000} }

const coverageRuns = 300

// The interval of a time has its nominal coverage with adaptive stopping, even if successive samples are correlated.
func TestTimeIntervalsCover(t *testing.T) {
	for _, n := range noises() {
		tr := trial{}
		for seed := range uint64(coverageRuns) {
			res := simulate(t, seed, n.next, false, simulated(), 1)[0]
			tr.add(res.Time.Interval, 0.001*n.median, patterned(res.Warnings), len(res.Samples))
		}
		tr.check(t, n.name)
	}
}

// The same holds for the interval of a ratio, whether the variants' noise is independent or shared.
func TestRatioIntervalsCover(t *testing.T) {
	for _, common := range []bool{false, true} {
		for _, n := range noises() {
			for _, truth := range []float64{1, 1.07} {
				if truth > 1 && n.name != "independent" { // a ratio only shifts the differences
					continue
				}
				tr := trial{}
				for seed := range uint64(coverageRuns / 2) {
					res := simulate(t, seed, n.next, common, simulated(), truth, 1)
					e := stats.Speedup(res[0].Samples, res[1].Samples)
					tr.add(e.Interval, truth, false, len(res[0].Samples))
				}
				name := n.name + ", own noise"
				if common {
					name = n.name + ", common noise"
				}
				tr.check(t, name)
			}
		}
	}
}

// A budget that ends sampling early does not make the intervals too narrow.
func TestIntervalsCoverWithinABudget(t *testing.T) {
	for _, n := range noises() {
		tr := trial{}
		for seed := range uint64(coverageRuns) {
			o := simulated()
			o.Budget = time.Duration(40+seed%100) * time.Millisecond
			res := simulate(t, seed, n.next, false, o, 1)[0]
			tr.add(res.Time.Interval, 0.001*n.median, patterned(res.Warnings), len(res.Samples))
		}
		cover := 100 * float64(tr.covered) / float64(tr.runs)
		t.Logf("%s: coverage %.1f %%, %.0f samples", n.name, cover, mean(tr.samples))
		if cover < 92 {
			t.Errorf("%s: %.1f %% of the intervals cover the truth, want 92 %%", n.name, cover)
		}
	}
}

// If a machine drifts or rarely switches between two levels, there is no single truth to cover, and the result says so.
func TestPatternsAreWarnedOf(t *testing.T) {
	ramp := func(r *rand.Rand) func() float64 {
		next, calls := autoregressive(0.3, 0.005)(r), 0
		return func() float64 { calls++; return next() * (1 + 0.05*float64(calls)/300) }
	}
	jump := func(r *rand.Rand) func() float64 {
		next, calls, at := autoregressive(0, 0.005)(r), 0, 100+r.IntN(150)
		return func() float64 {
			if calls++; calls > at {
				return 1.05 * next()
			}
			return next()
		}
	}
	for _, tc := range []struct {
		name   string
		next   func(r *rand.Rand) func() float64
		warned float64 // at least this share
	}{
		{"a ramp of 5 %", ramp, 0.99},
		{"one jump of 5 %", jump, 0.99},
		{"levels that last 100 samples", twoLevels(100, 0.005), 0},
		{"levels that last 20 samples", twoLevels(20, 0.005), 0},
	} {
		tr := trial{}
		for seed := range uint64(coverageRuns) {
			res := simulate(t, seed, tc.next, false, Options{Budget: time.Hour}, 1)[0]
			// Within the lower level the median is that level's; over a long time it is slightly higher.
			tr.within(res.Time.Interval, 0.001, 0.001*math.Exp(0.005*inLowerLevel), patterned(res.Warnings), len(res.Samples))
		}
		warned, silent := float64(tr.warned)/float64(tr.runs), float64(tr.silent)/float64(tr.runs)
		t.Logf("%s: warned %.1f %%, silently wrong %.1f %%, %.0f samples", tc.name, 100*warned, 100*silent, mean(tr.samples))
		if warned < tc.warned || tc.warned == 0 && silent > 0.07 {
			t.Errorf("%s: %.1f %% warned, %.1f %% missed the truth without a warning", tc.name, 100*warned, 100*silent)
		}
	}
	steady := trial{}
	for seed := range uint64(coverageRuns) {
		res := simulate(t, seed, autoregressive(0, 0.02), false, simulated(), 1)[0]
		steady.add(res.Time.Interval, 0.001, patterned(res.Warnings), len(res.Samples))
	}
	if t.Logf("steady: %d of %d warned", steady.warned, steady.runs); steady.warned > coverageRuns*3/100 {
		t.Errorf("%d of %d steady measurements have a warning", steady.warned, steady.runs)
	}
}

// A control is neither faster nor slower than itself, and a true difference of 3 % is found.
func TestVerdicts(t *testing.T) {
	const runs = 100
	for _, n := range noises() {
		for _, truth := range []float64{1, 1.03, 1 / 1.03} {
			verdicts := map[stats.Verdict]int{}
			for seed := range uint64(runs) {
				res := simulate(t, seed, n.next, true, simulated(), truth, 1)
				verdicts[stats.Rule{Matters: 0.01}.Judge(stats.Speedup(res[0].Samples, res[1].Samples).Interval)]++
			}
			t.Logf("%s, %.3f: %v", n.name, truth, verdicts)
			switch {
			case truth == 1 && verdicts[stats.Same]+verdicts[stats.Unsure] < 97:
				t.Errorf("%s: control against control: %v", n.name, verdicts)
			case truth > 1 && verdicts[stats.Faster] < 90, truth < 1 && verdicts[stats.Slower] < 90:
				t.Errorf("%s: a true difference of 3 %%: %v", n.name, verdicts)
			}
		}
	}
}

// A case on a quiet machine reaches its precision long before its budget is spent.
func TestQuietCaseEndsEarly(t *testing.T) {
	for seed := range uint64(50) {
		for _, r := range simulate(t, seed, autoregressive(0.3, 0.01), true, Options{}, 1.2, 1) {
			if r.Stop != StopPrecision {
				t.Errorf("seed %d: %s stopped for %q after %d samples", seed, r.Name, r.Stop, len(r.Samples))
			}
		}
	}
}
