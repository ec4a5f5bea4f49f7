package app

import (
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
)

func TestABSentences(t *testing.T) {
	of := func(verdict stats.Verdict, rounds, aside int, i stats.Interval) *ABResult {
		return &ABResult{Plan: ABPlan{Rounds: 10, Matters: 0.01}, Verdict: verdict, Rounds: rounds, Aside: aside, Speedup: stats.Estimate{Interval: i}}
	}
	for want, r := range map[string]*ABResult{
		"B is FASTER than A: 1.83× faster (1.79–1.87); the whole interval is beyond the 1 % that matters.": of(stats.Faster, 10, 0, stats.Interval{Median: 1.83, Lo: 1.79, Hi: 1.87}),
		"B is SLOWER than A: 2.00× slower (1.96–2.04); the whole interval is beyond the 1 % that matters.": of(stats.Slower, 10, 0, stats.Interval{Median: 0.5, Lo: 0.49, Hi: 0.51}),
		"A and B are the SAME: the interval of B’s speed, 0.995× to 1.00× of A’s, lies within ± 1 %.":      of(stats.Same, 10, 0, stats.Interval{Median: 1, Lo: 0.995, Hi: 1.004}),
		"UNSURE: B’s speed is 0.900× to 1.10× of A’s, which is neither within ± 1 % nor beyond it.":        of(stats.Unsure, 10, 0, stats.Interval{Median: 1, Lo: 0.9, Hi: 1.1}),
		"UNSURE: the machine was disturbed in 10 rounds, and nothing is concluded from those.":             of(stats.Unsure, 2, 10, stats.Interval{Median: 1, Lo: 0.9, Hi: 1.1}),
		"UNSURE: 8 rounds are too few for an interval, given their spread: measure more.":                  of(stats.Unsure, 8, 3, stats.Unbounded(1)),
		"UNSURE: 2 rounds were undisturbed, want at least 6.":                                              of(stats.Unsure, 2, 3, stats.Unbounded(1)),
	} {
		if got := r.Sentence(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestCrossSentence(t *testing.T) {
	r := &CrossResult{
		Plan: CrossPlan{Along: "size", From: 16, To: 4096}, Points: []CrossPoint{{At: 16, Speedup: stats.Estimate{Interval: stats.Exact(0.5)}}},
		Found: true, At: 1699.6, Lo: 1660, Hi: 1740,
	}
	if got := r.Sentence(); got != "B is faster than A from size 1,700 up (between 1,660 and 1,740)." {
		t.Error(got)
	}
	r.Points[0].Speedup.Median = 2
	if got := r.Sentence(); got != "B is faster than A up to size 1,700 (between 1,660 and 1,740)." {
		t.Error(got)
	}
	end := func(at int, v stats.Verdict, rounds, aside int, lo, hi float64) CrossPoint {
		return CrossPoint{At: at, Verdict: v, Rounds: rounds, Aside: aside, Speedup: stats.Estimate{Interval: stats.Interval{Median: 1, Lo: lo, Hi: hi}}}
	}
	r.Found, r.Why, r.At = false, "B is slower at both ends", math.NaN()
	r.Points = []CrossPoint{end(16, stats.Slower, 12, 0, 0.4, 0.5), end(4096, stats.Slower, 12, 0, 0.4, 0.5)}
	if got := r.Sentence(); got != "No crossing between size 16 and 4,096: B is slower at both ends." {
		t.Error(got)
	}
	// If it is uncertain at one end which side is faster, nothing is said about a crossing, except why.
	r.Plan.Rounds = 12
	const begin = "UNSURE: nothing is concluded about a crossing between size 16 and 4,096. "
	for want, ends := range map[string][]CrossPoint{
		"At 16: the machine was disturbed in 12 rounds; at 4,096: the difference is too small: B’s speed is 0.980× to 1.02× of A’s.": {
			end(16, stats.Unsure, 0, 12, math.Inf(-1), math.Inf(1)), end(4096, stats.Unsure, 12, 0, 0.98, 1.02),
		},
		"At 4,096: 3 rounds were undisturbed, want at least 6.":            {r.Points[0], end(4096, stats.Unsure, 3, 9, math.Inf(-1), math.Inf(1))},
		"At 16: 7 rounds are too few for an interval, given their spread.": {end(16, stats.Unsure, 7, 5, math.Inf(-1), math.Inf(1)), r.Points[1]},
		"The ends were not both measured.":                                 {r.Points[0]},
	} {
		r.Points = ends
		if got := r.Sentence(); got != begin+want {
			t.Errorf("%s\nwant %s", got, begin+want)
		}
	}
}

// Disturbed rounds show nothing yet, and a comparison of one configuration with itself is called a control.
func TestSoFarAndControl(t *testing.T) {
	r := &ABResult{Aside: 3, Clocks: stats.Unknown(), Speedup: stats.Estimate{Interval: stats.Interval{Median: 1.05, Lo: 1.01, Hi: 1.09}}}
	if got := r.SoFar(); got != "" {
		t.Errorf("without a round that counts: %q", got)
	}
	r.Rounds = 2
	if got := r.SoFar(); got != "B is 1.05× faster (1.01–1.09)" {
		t.Errorf("%q", got)
	}
	r.Takes = []ABTake{{Side: "A", Case: "matmul 64", Variant: "naive"}, {Side: "B", Case: "matmul 64", Variant: "naive"}}
	if got := r.Control(); !strings.Contains(got, "(matmul 64, naive): a control, whose answer must be SAME") {
		t.Errorf("%q", got)
	}
	r.Engine = [2]string{"cpu on X", "metal on Y"}
	if got := r.Control(); got != "" {
		t.Errorf("of two engines: %q", got)
	}
	if got := r.ClockWords(); got != "GPU clock during each measurement: not available, no GPU reports it." {
		t.Errorf("without clocks: %q", got)
	}
	r.Takes[1].Clock = 1e9
	if got := r.ClockWords(); !strings.Contains(got, "only that of B was reported") {
		t.Errorf("with the clock of B: %q", got)
	}
	for _, p := range []CrossPlan{{From: 0, To: 5}, {From: 200, To: 128}, {From: 8, To: 8}} {
		if p.Range() == nil {
			t.Errorf("%d to %d is a range", p.From, p.To)
		}
	}
}
