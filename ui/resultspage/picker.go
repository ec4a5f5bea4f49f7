package resultspage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// runPicker is a menu of runs, and of where to find more of them, which arrow keys pass over: they go from run to run.
type runPicker struct{ kit.Select }

func newRunPicker() *runPicker {
	p := &runPicker{}
	p.ExtendBaseWidget(p)
	return p
}

// TypedKey is part of fyne.Focusable.
func (p *runPicker) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyLeft:
		p.step(-1)
	case fyne.KeyRight:
		p.step(1)
	default:
		p.Select.TypedKey(e)
	}
}

// step goes to the next run, or the one before, if there is one.
func (p *runPicker) step(by int) {
	if at := p.SelectedIndex() + by; at >= 0 && at < len(p.Options)-1 {
		p.SetSelectedIndex(at)
	}
}
