package app

import (
	"fmt"
	"testing"
	"time"

	"assay/workloads"
	"assay/workloads/measure"
)

// A run in simulated time, as measure reports it: each case prepares, then samples until its end or its budget.
func TestTimeLeftDoesNotJump(t *testing.T) {
	const step, budget = 50 * time.Millisecond, 4 * time.Second
	for _, tc := range []struct {
		name  string
		cases func(i int) time.Duration // how long each takes
		count int
		jobs  int
		off   float64 // maximum error, relative to the whole, after the first third; before that, three times as much
	}{
		{"all take the budget", func(int) time.Duration { return budget }, 12, 1, 0.02},
		{"some end early", func(i int) time.Duration { return budget / time.Duration(1+i%3) }, 18, 1, 0.3},
		{"one case", func(int) time.Duration { return budget }, 1, 1, 0.05},
		{"two workloads", func(int) time.Duration { return budget }, 6, 2, 0.05},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := time.Unix(1e9, 0)
			begin := now
			var whole time.Duration
			for i := range tc.count {
				whole += time.Duration(tc.jobs) * tc.cases(i)
			}
			left := timeLeft{now: func() time.Time { return now }}
			before, told := 0.0, 0
			for job := range tc.jobs {
				for i := range tc.count {
					for spent := time.Duration(0); spent < tc.cases(i); spent += step {
						p := workloads.Progress{Case: fmt.Sprint(i), Done: i, Total: tc.count}
						if spent > 0 {
							p.Measure = measure.Progress{Phase: measure.Sampling, Spent: spent, Budget: budget, Estimate: budget - spent}
						}
						got := left.progress(&p, job, tc.jobs)
						truth := (whole - now.Sub(begin)).Seconds()
						if got > 0 {
							limit := tc.off
							if truth > whole.Seconds()*2/3 {
								limit *= 3
							}
							if off := (got - truth) / whole.Seconds(); off > limit || off < -limit {
								t.Fatalf("case %d after %v: %.1f s left, in truth %.1f s", i, spent, got, truth)
							}
							if jump := got - before + step.Seconds(); told > 0 && (jump > 0.03*whole.Seconds() || jump < -0.03*whole.Seconds()) {
								t.Fatalf("case %d after %v: a jump from %.1f s to %.1f s", i, spent, before, got)
							}
							before, told = got, told+1
						}
						now = now.Add(step)
					}
				}
			}
			if told == 0 || before > 3 { // of a budget of 4 s that is not used up
				t.Errorf("told %d times, in the end %.1f s left", told, before)
			}
		})
	}
}

func TestTimeLeftIsUnknownAtFirst(t *testing.T) {
	var left timeLeft
	p := workloads.Progress{Total: 3, Measure: measure.Progress{Phase: measure.Preparing}}
	if got := left.progress(&p, 0, 1); got != 0 {
		t.Errorf("%g s left before anything was measured", got)
	}
}
