package resultspage

import (
	"strings"
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
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
