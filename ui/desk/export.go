package desk

import (
	"context"
	"fmt"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/si"
	"assay/ui/native"
	"assay/ui/view"
)

// Export asks for a file, writes a run there in a format, and says so.
func (d *Desk) Export(run *bundle.Run, f report.Format) {
	if run == nil || d.Modal() {
		return
	}
	q := native.Question{Title: "Export " + f.Title, Name: run.Meta.ID + "." + f.Extension, Types: []string{f.Extension}}
	d.Files.Save(q, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot export", withRemedy(err, elsewhere))
			return
		}
		run := *run                  // what is beside it may change meanwhile
		d.Background(func() func() { // an HTML report of many results takes a while
			err := f.File(context.Background(), &run, d.Model.Workloads, path)
			return func() { d.exported(&run, path, err) }
		})
	})
}

// elsewhere says what to do if a file cannot be written.
const elsewhere = "Choose another folder."

// Subject is a run that can be exported: in memory, or as a bundle's folder.
type Subject struct {
	Run *bundle.Run
	Dir string // used if Run is nil; empty: there is nothing to export
}

// None reports whether there is nothing to export.
func (s Subject) None() bool { return s.Run == nil && s.Dir == "" }

// ExportSubject exports a run, reading it first if needed.
func (d *Desk) ExportSubject(s Subject, f report.Format) {
	switch {
	case s.None() || d.Modal():
	case s.Run != nil:
		d.Export(s.Run, f)
	default:
		d.LoadRun(s.Dir, func(r *bundle.Run) { d.Export(r, f) })
	}
}

// OfferExports offers the formats below a button.
func (d *Desk) OfferExports(s Subject, below fyne.CanvasObject) {
	var items []*fyne.MenuItem
	for _, f := range report.Formats() {
		items = append(items, fyne.NewMenuItem(f.Title+"…", func() { d.ExportSubject(s, f) }))
	}
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), d.Window.Canvas())
	menu.ShowAtRelativePosition(fyne.NewPos(0, below.Size().Height+2), below)
}

func (d *Desk) exported(run *bundle.Run, path string, err error) {
	if err != nil {
		d.Fail("Cannot export", withRemedy(err, elsewhere))
		return
	}
	d.Settings.setFolder(filepath.Dir(path))
	d.Say(fmt.Sprintf("Exported %s to %s", si.Counted(len(run.Results), "result"), view.Homely(path)))
}
