package app

import (
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
)

// A control's run ends with its conclusion, which counts.
func TestControlConcludes(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	w, err := workloads.Find(s.Workloads(), "wrong")
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Runs().Do(t.Context(), SelfCheck([]workloads.Workload{*w}, "fake"))
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Findings) != 1 || run.Findings[0].Kind != workloads.KindPassed || run.Findings[0].Workload != "wrong" {
		t.Errorf("%+v", run.Findings)
	}
	run.Results, run.Findings[0].Kind = nil, workloads.KindMissed
	if run.OK() {
		t.Error("a run whose control failed passes for good")
	}
}
