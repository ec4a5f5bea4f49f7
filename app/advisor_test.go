package app

import (
	"context"
	"strings"
	"testing"

	"assay/app/advice"
	"assay/gpu/gputest"
	"assay/workloads"
)

// tinyJob takes a fraction of a second.
var tinyJob = advice.Job{Workload: "batching", Params: workloads.Values{"sweep": "matmul", "min_size": 4, "max_size": 8, "library": false}}

// A checklist is one run whose figures tick its lines; its purpose is recorded apart from the user's note.
func TestCheckMeasures(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	list := advice.Checklists()[1]
	list.Jobs = []advice.Job{tinyJob}
	run, ticked, err := s.Advisor().Check(context.Background(), &list, "fake")
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Results) != 2 || run.Meta.Purpose != "checklist deploy" || run.Labels.Note+note(t, s, run.Dir) != "" {
		t.Errorf("%d results, for %q, note %q", len(run.Results), run.Meta.Purpose, run.Labels.Note)
	}
	if found, err := s.Library().Search(context.Background(), "checklist deploy"); err != nil || len(found) != 1 || found[0].Purpose != "checklist deploy" {
		t.Errorf("found %+v, %v", found, err)
	}
	for _, l := range ticked {
		if l.ID == "measured" && (l.State == advice.NotAvailable || len(l.Evidence) == 0) || l.ID == "pool" && l.State != advice.NotAvailable {
			t.Errorf("%s: %s: %s", l.ID, l.State, l.Why)
		}
	}
}

// note returns the note of a kept run.
func note(t *testing.T, s *Session, dir string) string {
	t.Helper()
	l, err := s.Library().Labels(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l.Note
}

// Each step of a flow is a run, reported before and after; a step that cannot be measured decides nothing.
func TestWalkMeasures(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	f := advice.Flows()[0]
	f.Steps = f.Steps[:2]
	f.Steps[0].Job, f.Steps[1].Job = tinyJob, advice.Job{Workload: "no such"}
	var told []string
	v, err := s.Advisor().Walk(context.Background(), &f, "fake", true, func(t advice.Taken) { told = append(told, t.ID+" "+string(t.Branch)) })
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 4 || told[0] != "machine " || v.Steps[0].Run == "" || v.Steps[0].Branch == "" || v.Steps[1].Branch != advice.Unsure || !strings.Contains(v.Steps[1].Saw, "no workload") {
		t.Errorf("%q, %+v", told, v.Steps)
	}
}
