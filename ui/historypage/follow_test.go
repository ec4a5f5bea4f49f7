package historypage

import (
	"testing"

	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// A run that another process creates while the page is in front is listed; selection and typed text stay.
func TestListFollowsRunsOfOthers(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	dir := s.list.Chosen().Dir
	s.chosen.labels.note.SetText("half a sen")
	keep(t, s.runs, 0, bundle.Finished, bundle.Labels{})
	s.update(desk.ChangedTick)
	s.settle()
	s.update(desk.ChangedLibrary)
	if s.list.Rows() != 2 || s.list.Chosen().Dir != dir || s.chosen.labels.note.Text != "half a sen" {
		t.Errorf("%d runs, %s is chosen, its note is %q", s.list.Rows(), s.list.Chosen().Dir, s.chosen.labels.note.Text)
	}
	keep(t, s.runs, 2, bundle.Finished, bundle.Labels{})
	s.update(desk.ChangedTick) // at once again
	s.settle()
	if n := len(s.Desk.Model.Runs.List); n != 2 {
		t.Errorf("it looked again at once: %d runs", n)
	}
}
