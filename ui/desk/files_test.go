package desk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// blank is a page with nothing on it.
func blank() desk.Page {
	return desk.Page{Build: func(*desk.Desk) desk.View {
		return desk.View{Object: widget.NewLabel(""), Update: func(desk.Change) {}}
	}}
}

func TestExportAsksWhereTo(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	c := &uitest.Chooser{}
	d.AskBy(c)
	d.ExportCSV()
	d.Settle()
	if len(c.Asked) != 0 {
		t.Fatal("asked where to, with nothing to export")
	}
	uitest.Play(d, "finished")
	d.ExportCSV() // the user cancels
	d.Settle()
	if q := c.Last(); c.Saves != 1 || q.Title != "Export CSV" || q.Name != "20261120-120000-batching.csv" ||
		q.Folder != os.Getenv("HOME") || !slices.Equal(q.Types, []string{"csv"}) {
		t.Errorf("asked %+v, want where to save the run's CSV, from the home folder on", c.Asked)
	}
	if d.Model.Notice != "" || d.Settings.Store.String("export.folder") != "" || d.Modal() {
		t.Error("canceling did something")
	}
	folder := t.TempDir()
	c.Path = filepath.Join(folder, "sweep.csv")
	d.ExportCSV()
	d.Settle()
	data, err := os.ReadFile(c.Path)
	if err != nil || strings.Count(string(data), "\n") != 15 {
		t.Errorf("wrote %d lines, %v; want a head and 14 results", strings.Count(string(data), "\n"), err)
	}
	if !strings.HasPrefix(d.Model.Notice, "Exported 14 results to ") {
		t.Errorf("told %q", d.Model.Notice)
	}
	d.ExportCSV()
	d.Settle()
	if c.Last().Folder != folder {
		t.Errorf("begins in %s, want the folder of the export before", c.Last().Folder)
	}
	c.Path, c.Err = "", errors.New("no permission")
	d.ExportCSV()
	d.Settle()
	if d.Modal() || !d.Model.Wrong || d.Model.Notice != "Cannot export: no permission" {
		t.Errorf("of an error of the panel it tells %q", d.Model.Notice)
	}
}

// TestUndoneDeletionIsWhole deletes a run that is shown and pinned, and undoes that, at the second attempt.
func TestUndoneDeletionIsWhole(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	run := uitest.KeptRun(t)
	s := uitest.NewSession()
	s.Runs = filepath.Dir(run.Dir)
	d := deskOf(t, s)
	settle := func() { // including what follows: the list is read
		d.Settle()
		d.Settle()
	}
	d.ShowRun(run)
	d.PinBaseline(run)
	d.DeleteRun(&bundle.Summary{ID: run.Meta.ID, Dir: run.Dir})
	settle()
	if m := &d.Model.Showing; m.Run != nil || m.Baseline != nil || d.Model.Runs.Told() == "" {
		t.Fatalf("after the deletion: %+v, notice %q", m, d.Model.Notice)
	}
	if err := os.Mkdir(run.Dir, 0o755); err != nil { // is in the way
		t.Fatal(err)
	}
	d.UndoLast()
	settle()
	if d.Model.Runs.Told() == "" || !d.Model.Wrong {
		t.Fatalf("what could not be undone cannot be tried again; told %q", d.Model.Notice)
	}
	if err := os.Remove(run.Dir); err != nil {
		t.Fatal(err)
	}
	d.UndoLast()
	d.UndoLast() // a second press
	settle()
	if m := &d.Model.Showing; m.Run != run || m.Baseline != run || d.Model.Runs.Told() != "" || len(m.Recent) != 1 {
		t.Errorf("after that was undone: %+v, notice %q", m, d.Model.Notice)
	}
	if d.Settings.Store.String("results.baseline") != run.Dir {
		t.Error("the baseline is not remembered")
	}
}

// deskOf is the desk of a session, in a window that shows nothing.
func deskOf(t *testing.T, s *uitest.Session) *desk.Desk {
	t.Helper()
	a := test.NewTempApp(t)
	w := a.NewWindow("test")
	d := desk.New(a, w, s.Services(), desk.Settings{Store: a.Preferences()}, uitest.Never)
	d.Redraw, d.Show = func(desk.Change) {}, func(string) {}
	t.Cleanup(func() { d.Shut(); d.Wait(); w.Close() })
	return d
}
