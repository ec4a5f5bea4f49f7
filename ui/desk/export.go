package desk

import (
	"fmt"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/app/report"
	"assay/ui/native"
	"assay/ui/view"
)

// Format is a format of report.ExportFile.
type Format struct{ Name, Title, About, Type string }

// CSV is the format of tables.
func CSV() Format { return Format{"csv", "CSV", "One line per result, with every column", "csv"} }

// Formats are those of report.ExportFile.
func Formats() []Format {
	return []Format{
		CSV(),
		{"json", "JSON", "The whole run, for programs", "json"},
		{"html", "HTML Report", "One page with charts, for people", "html"},
		{"bench", "Go Benchmark Format", "For benchstat and other tools", "txt"},
	}
}

// Export asks where to, writes a run there in a format, and says so.
func (d *Desk) Export(run *bundle.Run, f Format) {
	if run == nil || d.Modal() {
		return
	}
	q := native.Question{Title: "Export " + f.Title, Name: run.Meta.ID + "." + f.Type, Types: []string{f.Type}}
	d.Files.Save(q, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot export", withRemedy(err, elsewhere))
			return
		}
		d.Background(func() func() { // an HTML report of many results takes a while
			err := report.ExportFile(run, d.Model.Workloads, f.Name, path)
			return func() { d.exported(run, path, err) }
		})
	})
}

// elsewhere is what to do where a file cannot be written.
const elsewhere = "Choose another folder."

// Subject is a run that can be exported: with all that was measured, or as the folder that it is kept in.
type Subject struct {
	Run *bundle.Run
	Dir string // counts where Run is nil; empty: there is nothing to export
}

// None reports whether there is nothing to export.
func (s Subject) None() bool { return s.Run == nil && s.Dir == "" }

// ExportSubject exports a run, which is read first where need be.
func (d *Desk) ExportSubject(s Subject, f Format) {
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
	for _, f := range Formats() {
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
	d.Say(fmt.Sprintf("Exported %s to %s", view.Counted(len(run.Results), "result"), view.Homely(path)))
}
