package historypage

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app/bundle"
	"assay/app/report"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestListTellsEveryRun(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	var states []string
	for row := range s.list.Rows() {
		for i := range s.list.Columns() {
			if s.list.Columns()[i].Title == "State" {
				cell := s.list.Cell(row, i)
				states = append(states, cell.Text)
				if cell.Icon == nil {
					t.Errorf("%s has no shape", cell.Text)
				}
			}
		}
	}
	if got := strings.Join(states, ","); got != "Running,Finished,Stopped,Failed,Damaged" {
		t.Errorf("states %s", got)
	}
	if !strings.Contains(s.about.Content, "5 runs") {
		t.Errorf("tells %q", s.about.Content)
	}
	test.Type(s.search, "IDLE batch")
	if s.list.Rows() != 1 || !strings.Contains(s.about.Content, "1 of 5 runs") {
		t.Errorf("search by a tag and a workload finds %d: %q", s.list.Rows(), s.about.Content)
	}
	s.search.SetText("no such word")
	if s.list.Rows() != 0 || !uitest.Says(s.full, "Searches ID") || s.chosen.object.Visible() {
		t.Error("a search that finds nothing does not say so")
	}
}

func TestSortRuns(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	s.list.Choose(2)
	dir := s.list.Chosen().Dir
	for i, c := range s.list.Columns() {
		if c.Title == "State" {
			s.list.OnSorted(i)
		}
	}
	if s.list.Item(0).State != bundle.Damaged || s.list.Chosen().Dir != dir {
		t.Errorf("sorted by state it begins with %s", s.list.Item(0).State)
	}
}

func TestDeleteAndUndo(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	dir := s.list.Chosen().Dir
	s.Desk.LoadRun(dir, func(r *bundle.Run) { s.Desk.ShowRun(r); s.Desk.PinBaseline(r) })
	s.settle()
	test.Tap(uitest.Button(t, s.full, "Move to Trash"))
	s.settle()
	if _, err := os.Stat(dir); err == nil || s.list.Rows() != 0 {
		t.Fatalf("the run is still there: %v", err)
	}
	if m := &s.Desk.Model.Showing; m.Run != nil || m.Baseline != nil {
		t.Error("a run in the trash is still shown")
	}
	if !uitest.Says(s.full, "moved to the trash") {
		t.Error("nothing tells where the run went")
	}
	test.Tap(uitest.Button(t, s.full, "Undo"))
	s.settle()
	if _, err := os.Stat(dir); err != nil || s.list.Rows() != 1 || s.undo.object.Visible() {
		t.Errorf("undoing brings nothing back: %v", err)
	}
}

func TestRunThatGoesOnCannotBeDeleted(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	s.list.Choose(0)
	if !s.chosen.delete.Disabled() || !s.chosen.export.Disabled() || !strings.Contains(s.chosen.why.Content, "when it ends") {
		t.Errorf("a run that goes on: %q", s.chosen.why.Content)
	}
	s.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	s.settle()
	if s.list.Rows() != 5 || s.Desk.Model.Runs.Told() != "" {
		t.Error("a key deletes it anyway")
	}
}

func TestRunFromElsewhereIsReplayed(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	dir := keep(t, t.TempDir(), 2000, bundle.Finished, bundle.Labels{})
	s.Desk.ListOpened(dir)
	s.settle()
	if c := s.list.Chosen(); s.list.Rows() != 6 || c == nil || c.Dir != dir {
		t.Fatalf("of %d rows %+v is chosen", s.list.Rows(), c)
	}
	if !strings.HasPrefix(s.chosen.facts.Content, "In "+filepath.Dir(dir)) || !strings.HasSuffix(s.about.Content, "1 opened from elsewhere") {
		t.Errorf("tells %q and %q", s.chosen.facts.Content, s.about.Content)
	}
	if !strings.HasPrefix(s.chosen.replay.title.Content, "Replay: 59 s") || !s.chosen.delete.Disabled() || s.chosen.open.Disabled() {
		t.Errorf("replays %q", s.chosen.replay.title.Content)
	}
	s.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	s.settle()
	if s.list.Rows() != 6 || s.Desk.Model.Runs.Told() != "" {
		t.Error("a key deletes it anyway")
	}
}

func TestLabels(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	l := s.chosen.labels
	if !l.save.Disabled() || l.revert.Visible() {
		t.Error("there is nothing to save yet")
	}
	l.tags.SetText(strings.Repeat("x", 41))
	if !l.save.Disabled() || !strings.Contains(l.limits.Content, "at most 40") {
		t.Errorf("of a tag that is too long it tells %q", l.limits.Content)
	}
	l.tags.SetText("after fusion, idle")
	l.note.SetText("Lid closed.")
	test.Tap(l.save)
	s.settle()
	kept, err := s.Desk.Library.Labels(s.list.Chosen().Dir)
	if err != nil || strings.Join(kept.Tags, "|") != "after fusion|idle" || kept.Note != "Lid closed." {
		t.Errorf("kept %+v, %v", kept, err)
	}
	if !l.save.Disabled() || !uitest.Says(s.full, "Saved tags and note") {
		t.Error("nothing tells that they are saved")
	}
	s.list.TypedShortcut(&fyne.ShortcutUndo{})
	s.settle()
	if l.tags.Text != "before fusion" || l.note.Text != "" {
		t.Errorf("undone, the fields hold %q and %q", l.tags.Text, l.note.Text)
	}
}

func TestOpenAndPin(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	s.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	s.settle()
	if r := s.Desk.Model.Showing.Run; r == nil || len(r.Results) != 14 || len(s.Shown) != 1 || s.Shown[0] != "results" {
		t.Errorf("opening shows %v", s.Shown)
	}
	test.Tap(uitest.Button(t, s.full, "Pin as Baseline"))
	s.settle()
	if b := s.Desk.Model.Showing.Baseline; b == nil || b.Dir != s.list.Chosen().Dir {
		t.Error("the run is not pinned")
	}
	test.Tap(uitest.Button(t, s.full, "Unpin Baseline"))
	if s.Desk.Model.Showing.Baseline != nil {
		t.Error("the run is still pinned")
	}
}

func TestReplayDrawsTheRun(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	if !strings.HasPrefix(s.chosen.replay.title.Content, "Replay: 59 s, 14 cases") {
		t.Errorf("tells %q", s.chosen.replay.title.Content)
	}
	plots := 0
	uitest.Walk(s.chosen.replay.object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if _, ok := o.(*uichart.Plot); ok {
			plots++
		}
	})
	if plots < 4 {
		t.Errorf("%d charts", plots)
	}
	replay, err := report.LoadReplay(context.Background(), s.list.Chosen().Dir)
	if err != nil {
		t.Fatal(err)
	}
	replay.Marks = []report.Mark{{At: -3, Title: "early"}, {At: 900, Title: "late"}}
	if recordOf(replay, s.Desk.Model.Title) == nil || !within(uitest.Epoch.AddDate(1, 0, 0), replay.Run.Snapshots).Equal(replay.Run.Snapshots[59].Time) {
		t.Error("marks outside of the readings are not drawn at the edge")
	}
}

func TestUnreadableLibraryIsTold(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, func(t testing.TB, runs string) {
		if err := os.MkdirAll(filepath.Dir(runs), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(runs, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if !uitest.Says(s.full, "press Refresh") || !uitest.Says(s.full, "not a directory") {
		t.Errorf("a folder that cannot be read: %q", uitest.Texts(s.full))
	}
}

// TestDeletingGoesOnWithTheNext chooses the next run after a deletion, and the first after a search without the chosen one.
func TestDeletingGoesOnWithTheNext(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	s.list.Choose(1)
	next := s.list.Item(2).Dir
	s.chosen.remove()
	s.settle()
	if got := s.list.Chosen(); got == nil || got.Dir != next {
		t.Errorf("after deleting it has chosen %+v, want %s", got, next)
	}
	s.search.SetText("batching") // finds others before it too
	if got := s.list.Chosen(); got == nil || got.Dir != next {
		t.Errorf("a search that finds it leaves %+v chosen", got)
	}
	s.search.SetText("hang")
	if got := s.list.Chosen(); got == nil || got.Dir != s.list.Item(0).Dir {
		t.Errorf("a search that does not find it leaves %+v chosen", got)
	}
}

func TestReadingManyRunsTellsHowMany(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, none)
	s.Desk.Model.Runs = desk.Runs{Busy: true, Read: 300, All: 2000}
	s.update(desk.ChangedLibrary)
	if !uitest.Says(s.full, "Reading the runs: 300 of 2000") {
		t.Errorf("tells %q", uitest.Texts(s.full))
	}
}

// TestTwoRunsAreCompared marks a run and compares another with it: the earlier one is the baseline, whichever was marked first.
func TestTwoRunsAreCompared(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	early, late := s.list.Item(2), s.list.Item(1)
	for _, order := range [][2]int{{1, 2}, {2, 1}} {
		s.list.Choose(order[0])
		test.Tap(uitest.Button(t, s.full, markName))
		if !uitest.Says(s.full, "Select another run to compare this one with.") || s.chosen.pair.Text != unmarkName {
			t.Errorf("after marking the button says %q", s.chosen.pair.Text)
		}
		s.list.Choose(order[1])
		test.Tap(s.chosen.pair)
		s.settle()
		m := &s.Desk.Model.Showing
		if m.Baseline == nil || m.Run == nil || m.Baseline.Dir != early.Dir || m.Run.Dir != late.Dir {
			t.Fatalf("compared %v with %v", m.Run, m.Baseline)
		}
		if n := len(s.Shown); n == 0 || s.Shown[n-1] != desk.PageResults {
			t.Errorf("pages shown %v", s.Shown)
		}
		if m := s.Desk.Model; m.Back != nil {
			t.Errorf("nothing was pinned, yet it offers to undo: %s", m.Notice)
		}
		s.Desk.PinBaseline(nil)
	}
	pinned := &bundle.Run{Dir: "/runs/pinned"}
	s.Desk.PinBaseline(pinned)
	s.list.Choose(1)
	test.Tap(s.chosen.pair)
	s.list.Choose(2)
	test.Tap(s.chosen.pair)
	s.settle()
	if s.Desk.Model.Back == nil || !strings.Contains(s.Desk.Model.Notice, "is the baseline now") {
		t.Fatalf("a pinned baseline was replaced, and the notice is %q", s.Desk.Model.Notice)
	}
	if s.Desk.TakeBack(); s.Desk.Model.Showing.Baseline != pinned {
		t.Error("the pinned baseline did not come back")
	}
	s.Desk.PinBaseline(nil)
	s.list.Choose(1)
	test.Tap(s.chosen.pair)
	test.Tap(s.chosen.pair)
	if len(s.chosen.marked) != 0 || s.chosen.pair.Text != markName {
		t.Error("the mark does not go")
	}
}

// The marked run is marked in the list, and the button names it by more than its minute.
func TestTheMarkedRunIsNamed(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	marks := func() (marked []int) {
		at := slices.IndexFunc(s.list.Columns(), func(c kit.TableColumn) bool { return c.Title == "Compare" })
		for i := range s.list.Rows() {
			if at >= 0 && s.list.Cell(i, at).Text == "marked" {
				marked = append(marked, i)
			}
		}
		return marked
	}
	s.list.Choose(2)
	test.Tap(uitest.Button(t, s.full, markName))
	if got := marks(); !slices.Equal(got, []int{2}) {
		t.Errorf("rows %v are marked, want 2", got)
	}
	s.list.Choose(1)
	base := s.list.Item(2)
	if s.chosen.pair.Text != "Compare with batching" || !strings.HasSuffix(base.ID, "-batching") {
		t.Errorf("the button says %q of run %s", s.chosen.pair.Text, base.ID)
	}
	uitest.CheckClipping(t, s.full, uitest.Usual)
	s.chosen.marked[0].ID = "renamed-by-somebody-to-a-much-longer-name"
	if s.chosen.update(); s.full.MinSize().Width > uitest.Smallest.Width {
		t.Errorf("a run with a long name widens the page to %g", s.full.MinSize().Width)
	}
	test.Tap(s.chosen.pair)
	s.settle()
	if got := marks(); len(got) > 0 {
		t.Errorf("after the comparison rows %v are marked", got)
	}
}

func TestShortIDs(t *testing.T) {
	for id, want := range map[string]string{
		"20261130-105402-attention-5613": "attention-5613", "20261130-105402-suite-3f2a-2": "suite-3f2a-2", "renamed": "renamed",
		"my-run-of-the-first-of-many-days": "…-first-of-many-days", "20261130-105402-": "20261130-105402-",
	} {
		if got := shortID(&bundle.Summary{ID: id}); got != want {
			t.Errorf("%s is called %q, want %q", id, got, want)
		}
	}
}

// Three or more runs are shown side by side, in the order in which they began.
func TestManyRunsAreCompared(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	var marked []string
	for i := range 3 {
		s.list.Choose(i + 1) // the newest is still running
		marked = append(marked, s.list.Item(i+1).ID)
		if i < 2 {
			test.Tap(uitest.Button(t, s.full, []string{markName, "Mark Too"}[i]))
		}
	}
	if s.chosen.pair.Text != "Compare 3 Runs" {
		t.Fatalf("the button says %q", s.chosen.pair.Text)
	}
	test.Tap(s.chosen.pair)
	s.settle()
	shown := s.Desk.Window.Canvas().Overlays().Top()
	if shown == nil {
		t.Fatalf("nothing is shown: %s", s.Desk.Model.Notice)
	}
	for _, want := range []string{"3 runs side by side", "3 against 1:"} {
		if !uitest.Says(shown, want) {
			t.Errorf("nothing says %q: %q", want, uitest.Texts(shown))
		}
	}
	words := strings.Join(uitest.Texts(shown), "\n")
	if i, k := strings.Index(words, "1: "+marked[2]), strings.Index(words, "3: "+marked[0]); i < 0 || k < i {
		t.Errorf("the runs are not in their order: %s", words)
	}
	uitest.CheckScene(t, s.Desk.Window.Canvas())
	test.Tap(uitest.Button(t, shown, "Copy as Markdown"))
	if text := s.Desk.App.Clipboard().Content(); !strings.Contains(text, "Run 2 against run 1") {
		t.Errorf("copied %q", text)
	}
	if len(s.chosen.marked) != 0 {
		t.Error("the marks stay")
	}
}

// The readings of a run are also shown by part, each with what it lacks.
func TestReplayInParts(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	r := s.chosen.replay
	says := func(part int, yes, no string) {
		t.Helper()
		test.Tap(r.parts.Options[part])
		if !uitest.Says(r.object, yes) || no != "" && uitest.Says(r.object, no) {
			t.Errorf("part %d says %q", part, uitest.Texts(r.object))
		}
	}
	says(1, "Throughput", "Power by component")
	says(2, "Memory and pressure", "Throughput")
	says(3, "Heat and throttling (CPU, GPU), Power", "Memory and pressure") // this run has no readings of those
	says(0, "Memory and pressure", "")
	uitest.CheckScene(t, s.Desk.Window.Canvas())
}
