package kit

import (
	"math"

	"fyne.io/fyne/v2"
)

// StopSlider is a slider at a stop of a scale, or between two for a typed value. Arrow keys move to the next stop.
type StopSlider struct {
	Slider
	stop float64 // from one stop to the next
}

// NewStopSlider is a slider at the low end of a scale.
func NewStopSlider(s *Scale, changed func(at float64)) *StopSlider {
	b := &StopSlider{stop: s.step}
	b.Min, b.Max, b.Value, b.OnChanged = s.lo, s.hi, s.lo, changed
	b.Step = 0 // otherwise Fyne would round a position between two stops
	b.ExtendBaseWidget(b)
	return b
}

// FocusGained is part of fyne.Focusable.
func (b *StopSlider) FocusGained() { b.Slider.Slider.FocusGained(); Reveal(b) }

// TypedKey is part of fyne.Focusable.
func (b *StopSlider) TypedKey(e *fyne.KeyEvent) {
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

// nearly is the tolerance for being at a stop: steps such as 0.1 do not add up to whole numbers.
const nearly = 1e-6
