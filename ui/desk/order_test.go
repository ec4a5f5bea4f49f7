package desk

import (
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/workloads"
	"assay/workloads/suite"
)

// Late updates of a superseded run do not change the next one.
func TestUpdatesOfAnEarlierRun(t *testing.T) {
	meta := func(id string) bundle.Meta { return bundle.Meta{ID: id, Jobs: []bundle.Job{{Workload: "batching"}}} }
	first := &bundle.Run{Meta: meta("first")}
	m := newModel(suite.All())
	take := func(u app.Update) {
		m.apply(u)
		m.Showing.apply(u)
	}
	take(app.StartUpdate{Meta: meta("first")})
	take(app.StartUpdate{Meta: meta("second")})
	take(app.ResultUpdate{RunID: "first", Result: workloads.Result{Case: "late"}})
	take(app.FindingUpdate{RunID: "first", Finding: workloads.Finding{Text: "late"}})
	take(app.ProgressUpdate{RunID: "first", Fraction: 0.9})
	take(app.EndUpdate{Run: first})
	o := m.Busy()
	if o == nil || o.Meta.ID != "second" || o.Phase != Running {
		t.Fatalf("the second run stands at %+v, want that it goes on", m.Outcomes["batching"])
	}
	if len(o.Results) != 0 || len(o.Findings) != 0 || o.Progress.Fraction != 0 {
		t.Errorf("the second run has the first one's %v, %v, %v", o.Results, o.Findings, o.Progress.Fraction)
	}
	if r := m.Showing.Running; r == nil || r.Meta.ID != "second" || len(r.Results) != 0 {
		t.Errorf("%+v is shown growing, want the second run", r)
	}
	take(app.ResultUpdate{RunID: "second", Result: workloads.Result{Case: "its own"}})
	take(app.EndUpdate{Run: &bundle.Run{Meta: meta("second"), Results: []workloads.Result{{Case: "its own"}}}})
	if o := m.Outcomes["batching"]; o.Phase != Finished || len(o.Results) != 1 || m.Showing.Running != nil {
		t.Errorf("the second run ended as %+v", o)
	}
}
