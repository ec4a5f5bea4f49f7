package resultspage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
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

// pick presses an entry of the reference menu, below a title, and returns all its entries, with a sign before checked ones.
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

// External figures are imported from the menu, appear below the results, and are removed again.
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

// An invalid baseline name is reported in the dialog, which stays; the run is not offered as its own baseline.
func TestNamingABaseline(t *testing.T) {
	uitest.Alone(t)
	session := uitest.NewSession()
	session.Runs = t.TempDir()
	s := openOn(t, session, kit.AlwaysDark, uitest.Usual)
	run := stored(t)
	s.Desk.ShowRun(run)
	s.pick(t, run, "Name This Run as a Baseline…")
	top := s.Desk.Window.Canvas().Overlays().Top()
	var entry *kit.Entry
	uitest.Walk(top, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if e, ok := o.(*kit.Entry); ok {
			entry = e
		}
	})
	entry.SetText("a name/with")
	test.Tap(uitest.Button(t, top, "Save"))
	s.Desk.Settle()
	if !s.Desk.Modal() || !uitest.Says(top, "Invalid name") || s.Desk.Model.Notice != "" {
		t.Errorf("a bad name: open %v, %q, the notice %q", s.Desk.Modal(), uitest.Texts(top), s.Desk.Model.Notice)
	}
	shelf := desk.Shelf{Baselines: []app.Baseline{
		{Name: "mine", Engine: run.Meta.Engine.Engine, Device: run.Meta.Engine.Device, Run: run.Dir},
		{Name: "other", Engine: run.Meta.Engine.Engine, Device: run.Meta.Engine.Device, Run: "/elsewhere"},
	}}
	var all []string
	for _, item := range s.Desk.ReferenceMenu(run, &shelf).Items {
		all = append(all, item.Label)
	}
	if slices.Contains(all, "Baseline mine") || !slices.Contains(all, "Baseline other") {
		t.Errorf("offered %q", all)
	}
}

// If no row can be compared, the strip says why, for the most rows first.
func TestWhyNoRowCanBeCompared(t *testing.T) {
	r := &workloads.Result{}
	row := func(why string) report.ComparisonRow {
		return report.ComparisonRow{Base: r, Run: r, Verdict: report.NotComparable, Reason: why}
	}
	c := &report.Comparison{Rows: []report.ComparisonRow{row("b"), row("a"), row("a")}}
	if got, want := incomparable(c), "No row can be compared (2 rows: a; 1 row: b)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.Rows = c.Rows[1:]
	if got, want := incomparable(c), "No row can be compared: a."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A sentence says how many findings are shown elsewhere.
func TestMoreFindings(t *testing.T) {
	list := make([]workloads.Finding, maxAbove+1)
	if got, want := findingsOf(list), "1 more finding: beside the table when no row is selected."; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at its end", got, want)
	}
}

// Another run is shown from its first column on; the same run, after it was reread, as it was.
func TestAnotherRunStartsAtTheLeft(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Smallest)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	scroll, ok := uitest.Find(s.table.TableView, func(o *container.Scroll) bool { return true })
	if !ok {
		t.Fatal("the table does not scroll")
	}
	scroll.ScrollToOffset(fyne.NewPos(40, 0))
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	if scroll.Offset.X != 40 {
		t.Errorf("the same run is shown from %v", scroll.Offset)
	}
	s.Desk.ShowRun(runNamed("20261120-130000-batching", 1))
	if scroll.Offset.X != 0 {
		t.Errorf("another run is shown from %v", scroll.Offset)
	}
}
