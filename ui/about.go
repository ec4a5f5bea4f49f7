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
	"assay/ui/kit"
	"assay/ui/view"
)

// dialogWidth is that of the dialogs with text.
const dialogWidth = 440

// showAbout says what this is.
func (d *window) showAbout() {
	if d.Modal() {
		return
	}
	lines := []string{"Version " + d.Session.Version(), assets.Description, "Engines: " + d.engineLine(), "MIT licence"}
	body := kit.NewBody(strings.Join(lines, "\n\n"), 12)
	about := dialog.NewCustom("About "+assets.Name, "Close", body, d.Window)
	about.Resize(fyne.NewSize(dialogWidth, 0))
	about.Show()
}

// engineLine names the engines, and why one is not available.
func (d *window) engineLine() string {
	var parts []string
	for _, e := range d.Model.Engines {
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
func (d *window) showSettings() {
	if d.Modal() {
		return
	}
	var names []string
	for _, look := range appearances() {
		names = append(names, look.title)
	}
	look := widget.NewSelect(names, nil)
	for i, l := range appearances() {
		if l.a == d.Settings.Appearance() {
			look.SetSelectedIndex(i)
		}
	}
	look.OnChanged = func(string) { d.setAppearance(appearances()[look.SelectedIndex()].a) }
	form := widget.NewForm(
		widget.NewFormItem("Appearance", look),
		widget.NewFormItem("Runs", pathLabel(d.Session.RunsDir())),
		widget.NewFormItem("Log", pathLabel(app.UserPaths().Logs)))
	settings := dialog.NewCustom("Settings", "Done", form, d.Window)
	settings.Resize(fyne.NewSize(dialogWidth, 0))
	settings.Show()
}

// pathLabel shows a path, cut where there is not enough room.
func pathLabel(path string) *widget.Label {
	l := widget.NewLabel(view.Homely(path))
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// showRuns and showLog show a folder in the Finder, or what stands for it.
func (d *window) showRuns() { d.showFolder(d.Session.RunsDir()) }

func (d *window) showLog() { d.showFolder(app.UserPaths().Logs) }

func (d *window) showFolder(folder string) {
	abs, err := filepath.Abs(folder)
	if folder == "" {
		err = errors.New("there is no home folder")
	}
	if err == nil {
		err = os.MkdirAll(abs, 0o755) // it may not be there before the first run
	}
	if err == nil {
		err = d.App.OpenURL(&url.URL{Scheme: "file", Path: abs})
	}
	if err != nil {
		d.Fail("Show the folder", err)
	}
}

// pass gives a shortcut of the Edit menu to what has the focus.
func (d *window) pass(s fyne.Shortcut) {
	if focused, ok := d.Window.Canvas().Focused().(fyne.Shortcutable); ok {
		focused.TypedShortcut(s)
	}
}
