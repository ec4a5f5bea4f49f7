package abpage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// A comparison is on disk, and can be shown again, exported and deleted.
func TestComparisonsAreKept(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // of the trash
	s := open(t, kit.AlwaysDark, uitest.Usual)
	k := s.outcome.kept
	if k.object.Visible() {
		t.Error("there is something to choose at first")
	}
	set(s.sides[1].form, fieldVariant, "blocked")
	s.play()
	first := s.outcome.verdict.Content
	s.Session.B = 3e-3
	s.play()
	if len(k.list) != 2 || k.choice.SelectedIndex() != 0 || !k.object.Visible() || s.outcome.verdict.Content == first {
		t.Fatalf("%d kept, the chosen one is %d", len(k.list), k.choice.SelectedIndex())
	}
	k.choice.SetSelectedIndex(1)
	if s.outcome.verdict.Content != first || len(s.outcome.charts) != 2 || k.shown != k.list[1] {
		t.Errorf("the first shows %q, then %q", first, s.outcome.verdict.Content)
	}
	files := &uitest.Chooser{Path: filepath.Join(t.TempDir(), "takes.csv")}
	s.Desk.AskBy(files)
	s.Desk.ExportComparison(k.shown, "csv", k.shown.WriteCSV)
	s.Desk.Settle()
	text, err := os.ReadFile(files.Path)
	if err != nil || strings.Count(string(text), "\n") != 1+4*16 || files.Last().Name != k.shown.ID+".csv" {
		t.Errorf("%v, %d lines, asked %+v", err, strings.Count(string(text), "\n"), files.Last())
	}
	k.remove.OnTapped()
	s.Desk.Settle()
	if list, err := s.Desk.Library.Comparisons(); err != nil || len(list) != 1 || len(k.list) != 1 || k.shown != nil || s.outcome.charts != nil {
		t.Errorf("%d left, %v", len(k.list), err)
	}
	again := newKept(s.Desk, nil)
	again.read()
	s.Desk.Settle()
	if len(again.list) != 1 || len(again.choice.Options) != 1 {
		t.Errorf("read again: %q", again.choice.Options)
	}
}

// A failed comparison is kept with what it measured, and why it ended.
func TestFailedComparisonIsKept(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Session.AfterRounds, s.Session.RefuseAB = 4, os.ErrClosed
	s.play()
	k := s.outcome.kept
	if len(k.list) != 1 || k.list[0].Early() == nil || !strings.HasSuffix(k.choice.Selected, "ended early") {
		t.Fatalf("%+v, %q", k.list, k.choice.Selected)
	}
	verdict := s.outcome.verdict.Content
	k.pick(0)
	if s.outcome.verdict.Content != verdict {
		t.Errorf("%q, then %q", verdict, s.outcome.verdict.Content)
	}
}
