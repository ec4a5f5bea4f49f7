package settingspage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/ui/kit"
)

// captureRow shows whether runs can be captured for Xcode, with a button that does it.
func (p *settingsPage) captureRow() fyne.CanvasObject {
	p.captureNote = kit.NewCaption("", 5)
	p.captures = kit.NewCheck("Allow", func(on bool) {
		if !p.quiet {
			p.desk.Settings.SetCaptures(on)
			p.showCapture()
		}
	})
	p.capture = kit.NewButton("Capture Run…", p.desk.CaptureRun)
	return kit.NewRow(kit.NewHeading("Capture for Xcode"), p.captureNote, kit.Row(8, p.captures, p.capture))
}

// showCapture reports that a run can be captured, or why not and what to do.
func (p *settingsPage) showCapture() {
	m := p.desk.Model
	can := slices.IndexFunc(m.Engines, func(e app.EngineState) bool { return e.Captures })
	on, why := p.desk.Settings.Captures(), m.NoCapture()
	words, color := "Runs "+m.Workload().Title+" and records its command buffers in a .gputrace, which Xcode opens. It is not a timing run.", kit.ColorSecondary
	switch {
	case can < 0:
		words = "Not available: no engine here can be captured; Metal on a Mac can."
	case m.Engines[can].NoCapture != "" && on:
		words = "Allowed from the next start of Assay."
	case m.Engines[can].NoCapture != "":
		words, color = "Not available: "+plain.Text(m.Engines[can].NoCapture)+". Allow makes Assay start that way from the next start on.", theme.ColorNameWarning
	case why != "":
		words = "Not now: " + strings.TrimSuffix(why, ".") + "."
	}
	p.captures.SetChecked(on)
	kit.Able(p.captures, can >= 0 && m.Engines[can].NoCapture != "" || on)
	kit.Able(p.capture, why == "" && m.Busy() == nil)
	p.captureNote.SetColored(words, color)
}
