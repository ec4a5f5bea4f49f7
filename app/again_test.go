package app

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/monitor"
)

// inCase is a probe that finds the machine busy while one case is measured.
type inCase struct {
	busy    string        // the case; empty: none
	current *atomic.Value // the case being measured, a string
}

func (p *inCase) Lap() monitor.Lap {
	if p.busy != "" && p.current.Load() == p.busy {
		return busyLapNow
	}
	return quietLapNow
}

func TestDisturbedCasesAreMeasuredAgain(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	probe := &inCase{busy: "matmul 8", current: &atomic.Value{}}
	defer s.Subscribe(func(u Update) {
		if p, ok := u.(ProgressUpdate); ok {
			probe.current.Store(p.Case)
		}
	})()
	s.config.Probe = func() Probe { return probe }
	first, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Jobs: []bundle.Job{small(t, s)}, Sampling: Sampling{Time: 300 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	was := disturbedCases(first)
	if !slices.Equal(was, []string{"matmul 8"}) {
		t.Fatalf("disturbed: %q", was)
	}
	probe.busy = ""
	request, err := Again(first)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Runs().Do(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if second, err = bundle.Load(second.Dir); err != nil || second.Meta.Again != first.Meta.ID {
		t.Fatalf("again of %q, %v", second.Meta.Again, err)
	}
	if still := disturbedCases(second); len(still) > 0 || len(second.Results) != len(first.Results) {
		t.Errorf("still disturbed: %q, %d results", still, len(second.Results))
	}
	for i := range second.Results {
		before, after := &first.Results[i], &second.Results[i]
		same := before.Started.Equal(after.Started) && slices.Equal(before.Samples, after.Samples)
		if same == slices.Contains(was, before.Case) {
			t.Errorf("%s: the same as before: %v", before.Case, same)
		}
	}
	if _, err := Again(second); !errors.Is(err, ErrNothingDisturbed) {
		t.Errorf("nothing is disturbed: %v", err)
	}
	request.again.Meta.Engine.Device = "another"
	if _, err := s.Runs().Do(t.Context(), request); err == nil {
		t.Error("results of another device are taken over")
	}
}

func disturbedCases(run *bundle.Run) []string {
	var out []string
	for i := range run.Results {
		if _, is := run.Results[i].Disturbed(); is {
			out = append(out, run.Results[i].Case)
		}
	}
	return out
}
