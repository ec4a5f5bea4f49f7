//go:build !darwin

package native_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
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
		t.Error("canceling leaves something open")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("canceling left %v, %v", files, err)
	}
	d.ExportCSV()
	tap(t, d, "Save")
	d.Settle()
	path := filepath.Join(folder, "20261120-120000-batching.csv")
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("saved %v, %v", info, err)
	}
}

// A file to be replaced stays intact until the new one takes its place: the dialog only names it.
func TestDrawnSaveDialogOpensNothing(t *testing.T) {
	s := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual)
	folder := t.TempDir()
	old := filepath.Join(folder, "old.csv")
	if err := os.WriteFile(old, []byte("good"), 0o600); err != nil {
		t.Fatal(err)
	}
	var named []string
	ask := func(name string) {
		q := native.Question{Title: "Export", Name: name, Folder: folder, Types: []string{"csv"}}
		native.NewChooser(s.Desk.Window).Save(q, func(path string, err error) {
			if err != nil {
				t.Error(err)
			}
			named = append(named, path)
		})
		tap(t, s.Desk, "Save")
	}
	ask("new.csv")
	ask("old.csv")
	tap(t, s.Desk, "Yes") // it may be replaced
	if want := []string{filepath.Join(folder, "new.csv"), old}; !slices.Equal(named, want) {
		t.Errorf("named %q, want %q", named, want)
	}
	if left, err := os.ReadFile(old); err != nil || string(left) != "good" {
		t.Errorf("the file that was named holds %q, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "new.csv")); !os.IsNotExist(err) {
		t.Errorf("a file that was only named is there: %v", err)
	}
	w, err := storage.Writer(storage.NewFileURI(filepath.Join(folder, "other")))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write([]byte("x")); err != nil {
		t.Errorf("nothing can be written after the dialog: %v", err)
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
