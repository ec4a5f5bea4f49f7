package resultspage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// runPicker is a menu of runs and of places to find more; arrow keys move from run to run and skip the places.
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

// step moves to the next or previous run, if there is one.
func (p *runPicker) step(by int) {
	if at := p.SelectedIndex() + by; at >= 0 && at < len(p.Options)-1 {
		p.SetSelectedIndex(at)
	}
}
