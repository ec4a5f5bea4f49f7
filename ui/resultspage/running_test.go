package resultspage

import (
	"strings"
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// TestPickerOffersTheRunThatGoesOn shows an older run during a run, and returns.
func TestPickerOffersTheRunThatGoesOn(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261101-080000-batching", 1))
	uitest.Play(s.Desk, "running")
	running := s.head.picker.Selected
	if !strings.HasSuffix(running, " (running)") || s.head.picker.SelectedIndex() != 0 {
		t.Fatalf("shows %q, want the run that goes on", running)
	}
	s.head.picker.SetSelectedIndex(1)
	if s.shown.Meta.ID != "20261101-080000-batching" || len(s.shown.Results) != 14 || s.head.picker.Options[0] != running {
		t.Errorf("picked %s, offered %q", s.shown.Meta.ID, s.head.picker.Options)
	}
	s.head.picker.SetSelectedIndex(0)
	if s.shown != s.Desk.Model.Showing.Running || s.table.Rows() != 4 {
		t.Errorf("shows %s with %d rows, want the 4 that were measured so far", s.shown.Meta.ID, s.table.Rows())
	}
}

// Results taken over are reported, and a sweep can be extended from beside its finding.
func TestSweepsAreExtended(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	r := runNamed("20261120-120000-batching", 1)
	s.Desk.ShowRun(r)
	if s.head.extend.Visible() || strings.Contains(s.head.facts.Content, " kept from ") {
		t.Errorf("a finished sweep shows %q, %q", s.head.extend.Text, s.head.facts.Content)
	}
	longer := runNamed("20261121-120000-batching", 1)
	longer.Meta.Again, longer.Meta.Jobs[0].Params = r.Meta.ID, s.Desk.Model.Workload().Defaults(false)
	longer.Findings[0].Facts.Extend = workloads.Extension{Param: "max_batch", To: 512}
	s.Desk.ShowRun(longer)
	if b := s.head.extend; !b.Visible() || b.Text != "Extend to 512" || b.Size().Height < b.MinSize().Height {
		t.Errorf("the button says %q", b.Text)
	}
	if got := s.head.facts.Content; !strings.Contains(got, "14 kept from "+r.Meta.ID) {
		t.Errorf("told %q", got)
	}
}
