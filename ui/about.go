package ui

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/assets"
)

// dialogWidth is that of the dialogs with text.
const dialogWidth = 440

// showAbout says what this is.
func (d *desk) showAbout() {
	if d.modal() {
		return
	}
	lines := []string{"Version " + d.session.Version(), assets.Description, "Engines: " + d.engineLine(), "MIT licence"}
	body := newBody(strings.Join(lines, "\n\n"), 12)
	about := dialog.NewCustom("About "+assets.Name, "Close", body, d.window)
	about.Resize(fyne.NewSize(dialogWidth, 0))
	about.Show()
}

// engineLine names the engines, and why one is not available.
func (d *desk) engineLine() string {
	var parts []string
	for _, e := range d.model.engines {
		if e.Available {
			parts = append(parts, e.Title+" on "+e.Info.Device)
		} else {
			parts = append(parts, e.Title+" not available: "+e.Reason)
		}
	}
	if len(parts) == 0 {
		return "still being looked for"
	}
	return strings.Join(parts, "; ")
}

// showSettings edits what is remembered between starts and is not on the pages.
func (d *desk) showSettings() {
	if d.modal() {
		return
	}
	var names []string
	for _, look := range appearances() {
		names = append(names, look.title)
	}
	look := widget.NewSelect(names, nil)
	for i, l := range appearances() {
		if l.a == d.settings.appearance() {
			look.SetSelectedIndex(i)
		}
	}
	look.OnChanged = func(string) { d.setAppearance(appearances()[look.SelectedIndex()].a) }
	form := widget.NewForm(
		widget.NewFormItem("Appearance", look),
		widget.NewFormItem("Runs", pathLabel(d.session.RunsDir())),
		widget.NewFormItem("Log", pathLabel(app.UserPaths().Logs)))
	settings := dialog.NewCustom("Settings", "Done", form, d.window)
	settings.Resize(fyne.NewSize(dialogWidth, 0))
	settings.Show()
}

// pathLabel shows a path, cut where there is not enough room.
func pathLabel(path string) *widget.Label {
	l := widget.NewLabel(homely(path))
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// showRuns and showLog show a folder in the Finder, or what stands for it.
func (d *desk) showRuns() { d.showFolder(d.session.RunsDir()) }

func (d *desk) showLog() { d.showFolder(app.UserPaths().Logs) }

func (d *desk) showFolder(folder string) {
	abs, err := filepath.Abs(folder)
	if folder == "" {
		err = errors.New("there is no home folder")
	}
	if err == nil {
		err = os.MkdirAll(abs, 0o755) // it may not be there before the first run
	}
	if err == nil {
		err = d.app.OpenURL(&url.URL{Scheme: "file", Path: abs})
	}
	if err != nil {
		d.fail("Show the folder", err)
	}
}

// pass gives a shortcut of the Edit menu to what has the focus.
func (d *desk) pass(s fyne.Shortcut) {
	if focused, ok := d.window.Canvas().Focused().(fyne.Shortcutable); ok {
		focused.TypedShortcut(s)
	}
}
