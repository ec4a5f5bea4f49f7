package app

import (
	"math"
	"testing"

	"assay/internal/si"
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
		"UNSURE: 8 rounds are too few for an interval, as much as they differ: measure more.":              of(stats.Unsure, 8, 3, stats.Unbounded(1)),
		"UNSURE: 2 rounds were undisturbed, want 6 at least.":                                              of(stats.Unsure, 2, 3, stats.Unbounded(1)),
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
	if got := r.Sentence(); got != "B is faster than A from size "+si.Count(1700)+" on (between 1660 and 1740)." {
		t.Error(got)
	}
	r.Points[0].Speedup.Median = 2
	if got := r.Sentence(); got != "B is faster than A up to size "+si.Count(1700)+" (between 1660 and 1740)." {
		t.Error(got)
	}
	r.Found, r.Why, r.At = false, "B is slower at both ends", math.NaN()
	if got := r.Sentence(); got != "No crossing between size 16 and 4096: B is slower at both ends." {
		t.Error(got)
	}
}
