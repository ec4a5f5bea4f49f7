package app

import (
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/severity"
	"assay/workloads"
)

// notes are the notes that a window received.
func (r *recorder) notes() (out []bundle.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range r.updates {
		if n, ok := u.(NoteUpdate); ok {
			out = append(out, n.Event)
		}
	}
	return out
}

// Each failure is an event of the run that names its result, in the bundle and for the window.
func TestFailuresAreEvents(t *testing.T) {
	for _, tc := range []struct {
		script gputest.Script
		kind   bundle.Kind
		title  string
	}{
		{gputest.Script{Allocations: map[int]error{2: gpu.ErrOutOfMemory}}, bundle.ErrorSeen, "Out of memory"},
		{gputest.Script{Steps: failAt(gpu.ErrDeviceLost)}, bundle.ErrorSeen, "Device lost"},
		{gputest.Script{Steps: failAt(gpu.ErrExecution)}, bundle.Noted, "Done again"},
		{gputest.Script{Steps: failAt(gpu.ErrExecution, gpu.ErrExecution, gpu.ErrExecution)}, bundle.ErrorSeen, "Command buffer failed"},
	} {
		s, rec := session(t, tc.script)
		run, _ := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true, Throttling: Throttling{Mode: ThrottleOff}})
		loaded, err := bundle.Load(run.Dir)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, e := range loaded.Events {
			if e.Kind == tc.kind && e.Title == tc.title && e.Result != "" && e.Case != "" && strings.Contains(e.Text, e.Case) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: %d events, want 1: %+v", tc.title, found, loaded.Happenings())
		}
		told := false
		for _, e := range rec.notes() {
			told = told || e.Title == tc.title
		}
		if !told {
			t.Errorf("%s: the window was not told", tc.title)
		}
	}
}

// failAt fails the first command buffers of the measurement.
func failAt(errs ...error) []gputest.Step {
	steps := make([]gputest.Step, len(errs))
	for i, err := range errs {
		steps[i].Err = err
	}
	return steps
}

// A run with hundreds of failures reports them in a few events, with their number.
func TestManyFailuresAreSummedUp(t *testing.T) {
	n, told := incidents{}, 0
	for range 50 {
		told += len(n.of([]workloads.Result{
			{Status: workloads.Errored, Failure: workloads.Failure{Kind: workloads.OutOfMemory}}, {Status: workloads.Unsupported}, {Status: workloads.OK},
		}))
	}
	rest := n.rest()
	if told != incidentsTold || len(rest) != 1 || rest[0].Title != "Out of memory" || rest[0].Severity != severity.Warning ||
		rest[0].Text != "30 more, see the results" {
		t.Errorf("%d events, then %+v", told, rest)
	}
}
