package historypage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// trashed are the runs in the trash.
func trashed(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "Trash", "files", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDeletingDoesNotRepeat holds Delete, and clicks twice: one run goes to the trash each time, and nothing fails.
func TestDeletingDoesNotRepeat(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	s.list.Choose(1)
	key := &fyne.KeyEvent{Name: fyne.KeyDelete}
	s.list.KeyDown(key)
	for range 3 {
		s.list.TypedKey(key)
		s.settle()
	}
	s.list.KeyUp(key)
	if n := len(trashed(t)); n != 1 {
		t.Fatalf("Delete that is held moves %d runs to the trash", n)
	}
	button := uitest.Button(t, s.full, "Move to Trash")
	test.Tap(button)
	if !button.Disabled() {
		t.Error("the button is on while a run is on its way")
	}
	test.Tap(button)
	s.settle()
	if n := len(trashed(t)); n != 2 || s.Desk.Model.Wrong {
		t.Errorf("a double click leaves %d runs in the trash, told %q", n, s.Desk.Model.Notice)
	}
}

func TestAllThatWasDeletedComesBack(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	s.list.Choose(1)
	for range 2 {
		s.chosen.remove()
		s.settle()
	}
	for _, c := range []struct {
		told string
		rows int
	}{{"2 runs moved to the trash", 4}, {"The run 20261120-110000-batching moved to the trash.", 5}} {
		if !uitest.Says(s.full, c.told) {
			t.Fatalf("want %q, told %q", c.told, s.undo.words.Content)
		}
		test.Tap(uitest.Button(t, s.full, "Undo"))
		s.settle()
		if s.list.Rows() != c.rows {
			t.Errorf("undone, %d runs are listed, want %d", s.list.Rows(), c.rows)
		}
	}
	if s.undo.object.Visible() || len(trashed(t)) != 0 {
		t.Error("there is more to undo")
	}
}

// TestTypedLabelsAreKept types, and chooses another run: valid labels are saved, invalid ones stay as drafts.
func TestTypedLabelsAreKept(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	s.list.Choose(1)
	first, l := s.list.Chosen().Dir, s.chosen.labels
	l.note.SetText("Lid closed.")
	s.list.Choose(2)
	s.settle()
	if kept, err := s.Desk.Library.Labels(first); err != nil || kept.Note != "Lid closed." {
		t.Errorf("kept %+v, %v", kept, err)
	}
	if l.note.Text != "" || !uitest.Says(s.full, "Saved tags and note") {
		t.Errorf("the next run's note is %q, told %q", l.note.Text, s.undo.words.Content)
	}
	l.tags.SetText(strings.Repeat("x", 41))
	s.search.SetText("hang")
	s.settle()
	s.search.SetText("")
	s.list.Choose(2)
	s.settle()
	if l.tags.Text != strings.Repeat("x", 41) || !l.save.Disabled() {
		t.Errorf("what could not be saved has become %q", l.tags.Text)
	}
	s.list.Choose(1)
	if s.settle(); l.note.Text != "Lid closed." || l.dirty() {
		t.Errorf("the note is %q", l.note.Text)
	}
}

func TestFolderOfARunThatIsGoneIsNotMade(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	dir := s.list.Chosen().Dir
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	test.Tap(uitest.Button(t, s.full, fileManager("Show in ")))
	if _, err := os.Stat(dir); err == nil || !strings.Contains(s.Desk.Model.Notice, "it no longer exists") {
		t.Errorf("told %q, and %s is there: %v", s.Desk.Model.Notice, dir, err == nil)
	}
}

func TestEveryColumnExplainsItself(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, several)
	all := s.list.columns()
	for i, shown := range s.list.Columns() {
		c := all[slices.IndexFunc(all, func(c column) bool { return c.Title == shown.Title })]
		s.list.OnColumn(i)
		if got := s.hint.Content; got != c.Title+": "+c.About || len(c.About) < 10 {
			t.Errorf("at the head of %s it tells %q", c.Title, got)
		}
	}
	if s.list.OnColumn(-1); !strings.Contains(s.hint.Content, "hover for help") {
		t.Errorf("without a column it tells %q", s.hint.Content)
	}
}

// TestColumnsFollowTheWidth checks that every reason is readable in the smallest window, and that columns share a wide
// one.
func TestColumnsFollowTheWidth(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Smallest, several)
	wide := func() (sum float32) {
		for _, c := range s.list.Columns() {
			sum += c.Width + kit.CellPads
		}
		return sum
	}
	for _, size := range []fyne.Size{uitest.Smallest, uitest.Usual, fyne.NewSize(2400, 1300)} {
		s.Desk.Window.Resize(size)
		if room := s.list.Size().Width; wide() > room {
			t.Errorf("the columns take %v of %v", wide(), room)
		}
		for i, c := range s.list.Columns() {
			if c.Title == "Problem" && c.Width < kit.CellWidth(s.list.Cell(s.list.Rows()-1, i).Text, false) {
				t.Errorf("at %v the problem has %v", size, c.Width)
			}
		}
	}
}

// TestFlawsHaveAShape checks runs that ended well, with a wrong result and with a leak.
func TestFlawsHaveAShape(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	cell := func(title string) kit.TableCell {
		for _, c := range s.list.columns() {
			if c.Title == title {
				return c.Cell(s.list.Item(0))
			}
		}
		t.Fatalf("no column %s", title)
		return kit.TableCell{}
	}
	if cell("State").Icon != s.list.shapes[bundle.Finished] || cell("Leaks").Icon != nil {
		t.Error("a run without a flaw has the shape of one")
	}
	for _, set := range []func(*bundle.Summary){
		func(r *bundle.Summary) { r.Leaks = 2 }, func(r *bundle.Summary) { r.Leaks, r.Failed = 0, 1 },
		func(r *bundle.Summary) { r.Failed, r.Disturbed = 0, 7 },
	} {
		set(s.list.Item(0))
		state := cell("State").Icon.(fyne.ThemedResource)
		if state.ThemeColorName() != theme.ColorNameWarning {
			t.Errorf("%+v: the state has the shape %s", *s.list.Item(0), state.Name())
		}
		if counted := cell("Leaks").Icon != nil || cell("Wrong").Icon != nil || cell("Disturbed").Icon != nil; !counted {
			t.Error("the count has no shape")
		}
	}
}

func TestDamagedRunIsToldPlainly(t *testing.T) {
	s := play(t, "damaged", kit.AlwaysDark, uitest.Usual)
	if got := s.list.Cell(s.list.At(), 0).Text; got != "2026-11-01 10:15" {
		t.Errorf("its date is %q", got)
	}
	if got := s.chosen.why.Content; !strings.HasPrefix(got, "run.json is cut off. ") {
		t.Errorf("told %q", got)
	}
}

// TestTheCommitOfARunIsShown distinguishes runs of two builds.
func TestTheCommitOfARunIsShown(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual, one)
	run := *s.list.Chosen()
	run.Commit = &bundle.Commit{ID: "3f2a9c1b7d2044aa", Modified: true}
	if got := s.chosen.factsOf(&run); !strings.HasSuffix(got, " · commit\u00a03f2a9c1b7d20, modified") {
		t.Errorf("the facts are %q", got)
	}
}
