package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
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
	request, err := Again(first, "")
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
	if !request.TakesOver(s.config.Workloads) {
		t.Error("the cases that were not disturbed are measured again")
	}
	if _, err := Again(second, ""); !errors.Is(err, ErrNothingDisturbed) {
		t.Errorf("nothing is disturbed: %v", err)
	}
	request.again.Meta.Engine.Device = "another"
	if _, err := s.Runs().Do(t.Context(), request); err == nil {
		t.Error("results of another device are taken over")
	}
}

// TestAgainOfOneWorkload takes only that workload's jobs and results, and says how many cases are left to measure.
func TestAgainOfOneWorkload(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	matmul := small(t, s)
	at := func(n int) workloads.Point {
		return workloads.Point{{Name: "sweep", Value: "matmul"}, {Name: "size", Value: n}}
	}
	run := &bundle.Run{Meta: bundle.Meta{ID: "r", Jobs: []bundle.Job{{Workload: "fusion"}, matmul}}}
	for i, r := range []workloads.Result{
		{Workload: "fusion", Case: "add", Status: workloads.OK},
		{Job: 1, Workload: "batching", Case: "matmul 4", Status: workloads.OK, Settings: at(4)},
		{Job: 1, Workload: "batching", Case: "matmul 8", Status: workloads.OK, Settings: at(8)},
	} {
		if i != 1 {
			r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: busy")
		}
		run.Results = append(run.Results, r)
	}
	r, err := Again(run, "batching")
	if err != nil || len(r.Jobs) != 1 || r.Jobs[0].Workload != "batching" {
		t.Fatalf("jobs %+v, %v", r.Jobs, err)
	}
	if kept := r.earlier(0)("matmul 4"); len(kept) != 1 || len(r.earlier(0)("matmul 8"))+len(r.earlier(0)("add")) > 0 {
		t.Errorf("taken over: %+v", kept)
	}
	if cases, _ := r.Expect(s.config.Workloads); cases != 2 { // out of 4, 8 and 16
		t.Errorf("%d cases to measure, want 2", cases)
	}
	if run.Results[1].Job != 1 || len(run.Meta.Jobs) != 2 {
		t.Error("the run itself has changed")
	}
	if _, err := Again(run, "soak"); !errors.Is(err, ErrNothingDisturbed) {
		t.Errorf("of a workload that did not run: %v", err)
	}
}

// TestLabelsAreCheckedBeforeTheRun leaves no bundle behind if a tag is refused.
func TestLabelsAreCheckedBeforeTheRun(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(t.Context(), Request{
		Jobs: []bundle.Job{small(t, s)}, Quick: true, Labels: bundle.Labels{Tags: []string{strings.Repeat("long", 100)}},
	})
	left, listed := s.Library().List(t.Context())
	if run != nil || err == nil || !strings.Contains(err.Error(), "tag") || listed != nil || len(left) > 0 {
		t.Errorf("run %v, %v; left behind: %d, %v", run, err, len(left), listed)
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

// The end of a sweep is extended: earlier results are taken over unchanged, and progress counts what is measured now.
func TestSweepsAreExtended(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	first, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Quick: true, Jobs: []bundle.Job{small(t, s)}})
	if err != nil {
		t.Fatal(err)
	}
	if first, err = bundle.Load(first.Dir); err != nil {
		t.Fatal(err)
	}
	if len(first.Findings) != 1 || first.Findings[0].Facts.Extend != (workloads.Extension{Param: "max_size", To: 64}) {
		t.Fatalf("found %+v", first.Findings)
	}
	request, err := Extend(first, "", first.Findings)
	if err != nil || request.Jobs[0].Params["max_size"] != 64 || first.Meta.Jobs[0].Params["max_size"] != 16 {
		t.Fatalf("%v: %v, was %v", err, request.Jobs[0].Params, first.Meta.Jobs[0].Params)
	}
	if cases, took := request.Expect(s.Workloads()); cases != 2 || took != 2*quickBudget {
		t.Errorf("%d cases are expected to take %v", cases, took)
	}
	before := len(rec.progress())
	second, err := s.Runs().Do(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if second, err = bundle.Load(second.Dir); err != nil || second.Meta.Again != first.Meta.ID || second.TakenOver() != len(first.Results) {
		t.Fatalf("%v: %d results taken over from %q", err, second.TakenOver(), second.Meta.Again)
	}
	var cases []string
	for i := range second.Results {
		r := &second.Results[i]
		cases = append(cases, r.Case)
		if i < len(first.Results) && !slices.Equal(r.Samples, first.Results[i].Samples) {
			t.Errorf("%s was measured again", r.Case)
		}
	}
	if want := []string{"matmul 4", "matmul 8", "matmul 16", "matmul 32", "matmul 64"}; !slices.Equal(cases, want) {
		t.Errorf("cases %q", cases)
	}
	for _, p := range rec.progress()[before:] {
		if p.Total != 2 {
			t.Fatalf("progress %d of %d at %s", p.Done, p.Total, p.Case)
		}
	}
	for i := range first.Findings {
		first.Findings[i].Facts.Extend = workloads.Extension{}
	}
	if _, err := Extend(first, "", first.Findings); !errors.Is(err, ErrNothingToExtend) || strings.Contains(err.Error(), "disturbed") {
		t.Errorf("nothing to extend: %v", err)
	}
	first.Results[0].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: busy")
	want := fmt.Sprintf("; 1 of its %d results disturbed: measure again first", len(first.Results))
	if _, err := Extend(first, "", first.Findings); !errors.Is(err, ErrNothingToExtend) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("nothing to extend in a disturbed run: %v", err)
	}
}

// progress lists the progress of all runs so far.
func (r *recorder) progress() []ProgressUpdate {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []ProgressUpdate
	for _, u := range r.updates {
		if p, ok := u.(ProgressUpdate); ok {
			out = append(out, p)
		}
	}
	return out
}
