//go:build !darwin

package ui

import (
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// buttonOnTop is a button of the dialog on show.
func buttonOnTop(d *desk, name string) *widget.Button {
	var found *widget.Button
	if top := d.window.Canvas().Overlays().Top(); top != nil {
		walk(top, fyne.Position{}, false, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
			if b, ok := o.(*widget.Button); ok && b.Text == name {
				found = b
			}
		})
	}
	return found
}

func TestDrawnSaveDialog(t *testing.T) {
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	play(d, "finished")
	folder := t.TempDir()
	d.settings.setFolder(folder)
	d.exportCSV()
	cancel := buttonOnTop(d, "Cancel")
	if cancel == nil {
		t.Fatal("there is no dialog")
	}
	test.Tap(cancel)
	if d.modal() {
		t.Error("cancelling leaves something open")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("cancelling left %v, %v", files, err)
	}
	d.exportCSV()
	test.Tap(buttonOnTop(d, "Save"))
	path := filepath.Join(folder, "20261120-120000-batching.csv")
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("saved %v, %v", info, err)
	}
}
