package workloads_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

func TestSettled(t *testing.T) {
	// Steps are batches; negative ones are beyond the limit.
	steps := func(batches ...int) (all []workloads.Result) {
		for i, n := range batches {
			r := workloads.Result{ID: fmt.Sprint(i), Status: workloads.OK, Settings: []workloads.Setting{{Name: "batch", Value: max(n, -n)}}}
			r.Values.Set(workloads.Time, stats.Interval{Median: 1e-3, Lo: 0.9e-3, Hi: 1.1e-3})
			r.Values.SetNumber(workloads.ItemRate, 1000*float64(n))
			if n < 0 {
				r.Status = workloads.Errored
			}
			all = append(all, r)
		}
		return all
	}
	for _, tc := range []struct {
		steps []workloads.Result
		ended bool
		at    string
		want  string
	}{
		{steps(32, 64, -128, 96), true, "3", "An MLP, bisection: settles on a batch of 96 (1.00 (0.900 to 1.10) ms, 96.0 k items/s) after 4 steps, 1 of which broke the limit of 5.00 ms."},
		{steps(32, 64, 128), false, "2", "An MLP, bisection: does not settle: none of 3 steps broke the limit of 5.00 ms. The largest batch tried is a batch of 128 (1.00 (0.900 to 1.10) ms, 128 k items/s)."},
		{steps(32, 64, -128, 64, -128), false, "3", "An MLP, bisection: does not settle: 2 of 5 steps broke the limit of 5.00 ms. The largest within it is a batch of 64 (1.00 (0.900 to 1.10) ms, 64.0 k items/s)."},
		{steps(-2, -1), true, "", "An MLP, bisection: no batch in 2 steps was within the limit of 5.00 ms."},
	} {
		s := workloads.Settling{
			Subject: workloads.Subject{Name: "An MLP", Way: "bisection"}, Axis: workloads.Axis{Name: "batch", Phrase: "a batch of %s"}, Steps: tc.steps,
			Fits: func(r *workloads.Result) bool { return r.Status == workloads.OK }, Limits: "the limit of 5.00 ms", Ended: tc.ended,
		}
		found := s.Settled()
		if len(found) != 1 || found[0].Sentence() != tc.want || found[0].Result != tc.at {
			t.Errorf("found %+v\n%s, want\n%s", found, found[0].Sentence(), tc.want)
		}
	}
	noisy := steps(32, 64)
	noisy[1].Warn(workloads.WarningKind(measure.Disturbed), "a noisy neighbor")
	s := workloads.Settling{Subject: workloads.Subject{Name: "An MLP", Way: "bisection"}, Steps: noisy}
	if found := s.Settled(); len(found) != 1 || !strings.HasPrefix(found[0].Sentence(), "An MLP, bisection: no conclusion.") {
		t.Errorf("of a disturbed search: %+v", found)
	}
	// If the time decides nothing, a disturbed one leaves no doubt; among equal steps, an undisturbed one is preferred.
	noisy = steps(64, 32, 64, 64, -128)
	noisy[3].Warn(workloads.WarningKind(measure.Disturbed), "a noisy neighbor")
	s = workloads.Settling{
		Subject: workloads.Subject{Name: "An MLP", Way: "bisection"}, Axis: workloads.Axis{Name: "batch", Phrase: "a batch of %s"}, Steps: noisy,
		Fits: func(r *workloads.Result) bool { return r.Status == workloads.OK }, Limits: "the limit of 64.0 MB", Ended: true, Untimed: true,
	}
	if found := s.Settled(); len(found) != 1 || found[0].Result != "2" || !strings.HasPrefix(found[0].Sentence(), "An MLP, bisection: settles on a batch of 64 (") {
		t.Errorf("of a disturbed search without a limit of time: %+v", found)
	}
	if found := (&workloads.Settling{}).Settled(); found != nil {
		t.Errorf("nothing tried has the finding %+v", found)
	}
}
