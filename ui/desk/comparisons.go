package desk

import (
	"io"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/native"
	"assay/ui/view"
)

// OfferComparison offers the export formats of a comparison, below a button.
func (d *Desk) OfferComparison(r *app.ABRecord, below fyne.CanvasObject) {
	if r == nil || d.Modal() {
		return
	}
	menu := widget.NewPopUpMenu(fyne.NewMenu("",
		fyne.NewMenuItem("CSV…", func() { d.ExportComparison(r, "csv", r.WriteCSV) }),
		fyne.NewMenuItem("JSON…", func() { d.ExportComparison(r, "json", r.WriteJSON) }),
	), d.Window.Canvas())
	menu.ShowAtRelativePosition(fyne.NewPos(0, below.Size().Height+2), below)
}

// ExportComparison asks for a file and writes a comparison there.
func (d *Desk) ExportComparison(r *app.ABRecord, ending string, write func(io.Writer) error) {
	d.Files.Save(native.Question{Title: "Export the Comparison", Name: r.ID + "." + ending, Types: []string{ending}}, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot export", withRemedy(err, elsewhere))
			return
		}
		d.Background(func() func() {
			err := bundle.WriteFile(path, write)
			return func() {
				if err != nil {
					d.Fail("Cannot export", withRemedy(err, elsewhere))
					return
				}
				d.Settings.setFolder(filepath.Dir(path))
				d.Say("Exported the comparison to " + view.Homely(path))
			}
		})
	})
}
