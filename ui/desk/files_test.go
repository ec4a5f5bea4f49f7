package desk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/widget"

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
		t.Error("cancelling did something")
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
