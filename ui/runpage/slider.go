package runpage

import (
	"math"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// slider stands at a stop, or between two where a value that was typed does. Arrow keys go from there to the next stop.
type slider struct {
	kit.Slider
	stop float64 // from one to the next
}

func newSlider(s scale, changed func(at float64)) *slider {
	b := &slider{stop: s.step}
	b.Min, b.Max, b.Value, b.OnChanged = s.lo, s.hi, s.lo, changed
	b.Step = 0 // else Fyne would round to a stop what lies between two
	b.ExtendBaseWidget(b)
	return b
}

// FocusGained is part of fyne.Focusable.
func (b *slider) FocusGained() { b.Slider.Slider.FocusGained(); kit.Reveal(b) }

// TypedKey is part of fyne.Focusable.
func (b *slider) TypedKey(e *fyne.KeyEvent) {
	if b.Disabled() {
		return
	}
	at := (b.Value - b.Min) / b.stop
	switch e.Name {
	case fyne.KeyLeft, fyne.KeyDown:
		b.SetValue(b.Min + b.stop*(math.Ceil(at-nearly)-1))
	case fyne.KeyRight, fyne.KeyUp:
		b.SetValue(b.Min + b.stop*(math.Floor(at+nearly)+1))
	case fyne.KeyHome:
		b.SetValue(b.Min)
	case fyne.KeyEnd:
		b.SetValue(b.Max)
	}
}

// nearly is how near to a stop is at it: steps such as 0.1 do not add up to whole numbers.
const nearly = 1e-6
