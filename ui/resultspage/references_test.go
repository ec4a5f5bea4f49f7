package resultspage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// stored is a finished run that has a folder, to put figures beside.
func stored(t *testing.T) *bundle.Run {
	t.Helper()
	run := runNamed("20261120-120000-batching", 1)
	run.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(run.Dir, "run.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return run
}

// pick presses what the menu of references has under a title, and returns all that it has, with a sign before what is checked.
func (s *stand) pick(t *testing.T, run *bundle.Run, title string) string {
	t.Helper()
	shelf, err := s.Desk.Shelf()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, item := range s.Desk.ReferenceMenu(run, &shelf).Items {
		sign := ""
		if item.Checked {
			sign = "+"
		}
		all = append(all, sign+item.Label)
		if item.Label == title {
			item.Action()
		}
	}
	s.Desk.Settle()
	return strings.Join(all, "|")
}

// Others' figures are imported from the menu, stand below the results, and go away again.
func TestFiguresStandBelowTheResults(t *testing.T) {
	uitest.Alone(t)
	session := uitest.NewSession()
	session.Runs = t.TempDir()
	s := openOn(t, session, kit.AlwaysDark, uitest.Usual)
	path := filepath.Join(t.TempDir(), "sleep.json")
	if err := os.WriteFile(path, []byte(`{"results": [{"command": "sleep 0.1", "median": 0.101}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	files := &uitest.Chooser{Path: path}
	s.Desk.AskBy(files)
	run := stored(t)
	s.Desk.ShowRun(run)
	rows := s.table.Rows()
	if s.references.object.Visible() || s.head.refer.Disabled() {
		t.Error("without figures, there are some, or none can be chosen")
	}
	if all := s.pick(t, run, "Import File…"); all != "Import File…|Name This Run as a Baseline…" {
		t.Errorf("at first the menu has %s", all)
	}
	if !s.references.object.Visible() || s.references.table.Rows() != 1 || s.table.Rows() != rows {
		t.Fatalf("%d rows for reference, %d results", s.references.table.Rows(), s.table.Rows())
	}
	if item := s.references.table.Item(0); item.Name != "sleep 0.1" || item.from != "sleep.json" || !strings.HasPrefix(s.references.caution.Content, "Others’ figures") {
		t.Errorf("%+v, %q", item, s.references.caution.Content)
	}
	list, err := bundle.ReadReferences(run.Dir)
	if err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	const all = "sleep.json (1 result)||Import File…|Name This Run as a Baseline…|Forget"
	if got := s.pick(t, run, "sleep.json (1 result)"); got != "+"+all || s.references.object.Visible() {
		t.Errorf("then the menu has %s, and the figures stay", got)
	}
	if got := s.pick(t, run, "sleep.json (1 result)"); got != all || !s.references.object.Visible() {
		t.Errorf("at last the menu has %s, and the figures do not come back", got)
	}
	files.Path = filepath.Join(t.TempDir(), "none.json")
	s.pick(t, run, "Import File…")
	if !s.Desk.Model.Wrong || !strings.HasPrefix(s.Desk.Model.Notice, "Cannot import") {
		t.Errorf("a file that is not there: %q", s.Desk.Model.Notice)
	}
}
