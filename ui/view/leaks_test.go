package view_test

import (
	"testing"

	"assay/app/bundle"
	"assay/ui/view"
	"assay/workloads"
	"assay/workloads/suite"
)

// The outcome of a control's run depends on what it leaked, what was found, and how it ended.
func TestDetection(t *testing.T) {
	found := []bundle.Event{{Kind: "leak", Title: "Buffers not released", Text: "leak: 2 buffers, 8 kB"}}
	run := func(workload string, rate any, state bundle.State, events []bundle.Event) *bundle.Run {
		return &bundle.Run{
			Meta:   bundle.Meta{Jobs: []bundle.Job{{Workload: workload, Params: workloads.Values{"rate": rate}}}, State: state},
			Events: events,
		}
	}
	for name, c := range map[string]struct {
		run  *bundle.Run
		want view.Detection
	}{
		"found":              {run("leak", 10.0, bundle.Finished, found), view.Detected},
		"missed":             {run("leak", 10.0, bundle.Finished, nil), view.Undetected},
		"stopped":            {run("leak", 10.0, bundle.Stopped, nil), view.Undecided},
		"silent":             {run("leak", 0.0, bundle.Finished, nil), view.Detected},
		"false alarm":        {run("leak", 0.0, bundle.Finished, found), view.Undetected},
		"another's leak":     {run("batching", nil, bundle.Finished, found), view.NoControl},
		"still going on":     {nil, view.NoControl},
		"unknown parameters": {run("leak", nil, bundle.Finished, found), view.Detected},
	} {
		if got, words := view.DetectionOf(suite.All(), c.run); got != c.want || (words == "") != (got == view.NoControl) {
			t.Errorf("%s: %d, %q, want %d", name, got, words, c.want)
		}
	}
	if got := view.Leaks(run("leak", 10.0, bundle.Finished, found)); len(got) != 1 || got[0] != "Buffers not released: 2 buffers, 8 kB" {
		t.Errorf("told %q", got)
	}
}
