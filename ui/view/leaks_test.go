package view_test

import (
	"testing"

	"assay/app"
	"assay/ui/view"
	"assay/workloads"
	"assay/workloads/suite"
)

// What a run of the control proves hangs on what it leaked, what was found, and how it ended.
func TestDetection(t *testing.T) {
	found := []app.Event{{Kind: "leak", Title: "Buffers left behind", Text: "leak: 2 buffers, 8 kB"}}
	run := func(workload string, rate any, state app.RunState, events []app.Event) *app.Run {
		return &app.Run{
			Meta:   app.Meta{Jobs: []app.Job{{Workload: workload, Params: workloads.Values{"rate": rate}}}, State: state},
			Events: events,
		}
	}
	for name, c := range map[string]struct {
		run  *app.Run
		want view.Detection
	}{
		"found":              {run("leak", 10.0, app.RunFinished, found), view.Detected},
		"missed":             {run("leak", 10.0, app.RunFinished, nil), view.Undetected},
		"stopped":            {run("leak", 10.0, app.RunStopped, nil), view.Undecided},
		"silent":             {run("leak", 0.0, app.RunFinished, nil), view.Detected},
		"false alarm":        {run("leak", 0.0, app.RunFinished, found), view.Undetected},
		"another's leak":     {run("batching", nil, app.RunFinished, found), view.NoControl},
		"still going on":     {nil, view.NoControl},
		"unknown parameters": {run("leak", nil, app.RunFinished, found), view.Detected},
	} {
		if got, words := view.DetectionOf(suite.All(), c.run); got != c.want || (words == "") != (got == view.NoControl) {
			t.Errorf("%s: %d, %q, want %d", name, got, words, c.want)
		}
	}
	if got := view.Leaks(run("leak", 10.0, app.RunFinished, found)); len(got) != 1 || got[0] != "Buffers left behind: 2 buffers, 8 kB" {
		t.Errorf("told %q", got)
	}
}
