package desk

import (
	"fmt"
	"path/filepath"

	"assay/internal/si"
	"assay/ui/native"
	"assay/ui/view"
)

// tuningsName is the default name of a file of tuned choices.
const tuningsName = "tuned.json"

// ExportTunings asks for a file and writes what searches found there.
func (d *Desk) ExportTunings() {
	if d.Modal() {
		return
	}
	d.Files.Save(native.Question{Title: "Export Tuned Choices", Name: tuningsName, Types: []string{"json"}}, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot export", withRemedy(err, elsewhere))
			return
		}
		service := d.Session.Tunings
		d.Background(func() func() {
			n, err := service.Export(path)
			return func() {
				if err != nil {
					d.Fail("Cannot export", withRemedy(err, elsewhere))
					return
				}
				d.Settings.setFolder(filepath.Dir(path))
				d.Say(fmt.Sprintf("Exported %s to %s", si.Counted(n, "tuned choice"), view.Homely(path)))
			}
		})
	})
}

// ImportTunings asks for a file and takes over what searches found elsewhere; then is called if it succeeded.
func (d *Desk) ImportTunings(then func()) {
	if d.Modal() {
		return
	}
	d.Files.Open(native.Question{Title: "Import Tuned Choices", Types: []string{"json"}}, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot import", err)
			return
		}
		service := d.Session.Tunings
		d.Background(func() func() {
			n, err := service.Import(path)
			return func() {
				if err != nil {
					d.Fail("Cannot import", err)
					return
				}
				d.Say(si.Counted(n, "tuned choice") + " imported from " + view.Homely(path))
				then()
			}
		})
	})
}
