package settingspage

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/ui/kit"
)

// validateRow shows whether the device's calls are validated.
func (p *settingsPage) validateRow() fyne.CanvasObject {
	p.validateNote = kit.NewCaption("", 4)
	p.validate = kit.NewCheck("Validate", func(on bool) {
		if !p.quiet {
			p.desk.Settings.SetValidates(on)
			p.showValidation()
		}
	})
	return kit.NewRow(kit.NewHeading("Validation"), p.validateNote, p.validate)
}

// showValidation shows the state of validation, and what it costs.
func (p *settingsPage) showValidation() {
	engines := p.desk.Model.Engines
	can := slices.IndexFunc(engines, func(e app.EngineState) bool { return e.Validates })
	on, words, color := p.desk.Settings.Validates(), "Metal’s validation layers check each call and each access of a kernel. Runs are then not timing runs: they are marked, and nothing is compared with them.", kit.ColorSecondary
	switch {
	case can < 0:
		words = "Not available: no engine here has a validation layer; Metal on a Mac does."
	case engines[can].Validation != "" && on:
		words, color = "On: "+plain.Text(engines[can].Validation)+". Runs are not timing runs.", theme.ColorNameWarning
	case engines[can].Validation != "":
		words, color = "Still on: "+plain.Text(engines[can].Validation)+", until Assay starts again. Runs are not timing runs.", theme.ColorNameWarning
	case on:
		words += " On from the next start of Assay."
	}
	p.validate.SetChecked(on)
	kit.Able(p.validate, can >= 0 || on)
	p.validateNote.SetColored(words, color)
}
