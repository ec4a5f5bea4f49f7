//go:build !darwin

package native_test

import (
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2/test"
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

func TestDrawnSaveDialog(t *testing.T) {
	s := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual)
	d := s.Desk
	uitest.Play(d, "finished")
	folder := t.TempDir()
	d.Settings.Store.SetString("export.folder", folder)
	d.ExportCSV()
	if !d.Modal() {
		t.Fatal("there is no dialog")
	}
	tap(t, d, "Cancel")
	if d.Modal() {
		t.Error("cancelling leaves something open")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("cancelling left %v, %v", files, err)
	}
	d.ExportCSV()
	tap(t, d, "Save")
	d.Settle()
	path := filepath.Join(folder, "20261120-120000-batching.csv")
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("saved %v, %v", info, err)
	}
}

// tap taps a button of the dialog, which is Fyne's own.
func tap(t *testing.T, d *desk.Desk, name string) {
	t.Helper()
	b, ok := uitest.Find(d.Window.Canvas().Overlays().Top(), func(b *widget.Button) bool { return b.Text == name })
	if !ok {
		t.Fatalf("no button %q is on show", name)
	}
	test.Tap(b)
}
