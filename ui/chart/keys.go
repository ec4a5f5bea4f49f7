package chart

import (
	"math"

	"fyne.io/fyne/v2"
)

// Tapped implements fyne.Tappable: a click gives the chart the keyboard focus.
func (s *surface) Tapped(*fyne.PointEvent) { s.requestFocus() }

func (s *surface) requestFocus() {
	if c := s.canvas(); c != nil {
		c.Focus(s.self.(fyne.Focusable))
	}
}

// canvas returns the canvas that shows the chart; nil if none does.
func (s *surface) canvas() fyne.Canvas {
	if fyne.CurrentApp() == nil {
		return nil
	}
	return fyne.CurrentApp().Driver().CanvasForObject(s.self)
}

// FocusGained implements fyne.Focusable.
func (s *surface) FocusGained() {
	s.focused = true
	s.redraw()
	if s.OnFocus != nil {
		s.OnFocus()
	}
}

// FocusLost implements fyne.Focusable.
func (s *surface) FocusLost() {
	s.focused = false
	if s.hover.Held {
		s.hover.On, s.hover.Held = false, false
		s.pointed()
	}
	s.redraw()
}

// TypedRune implements fyne.Focusable.
func (s *surface) TypedRune(rune) {}

// TypedKey implements fyne.Focusable: the arrows move the crosshair, Home and End go to the ends, Escape leaves. Other
// keys go to the window.
func (s *surface) TypedKey(e *fyne.KeyEvent) {
	const far = math.MaxInt32
	switch e.Name {
	case fyne.KeyLeft:
		s.move(-1, 0)
	case fyne.KeyRight:
		s.move(1, 0)
	case fyne.KeyUp:
		s.move(0, -1)
	case fyne.KeyDown:
		s.move(0, 1)
	case fyne.KeyHome:
		s.move(-far, 0)
	case fyne.KeyEnd:
		s.move(far, 0)
	case fyne.KeyEscape:
		s.hover.On, s.hover.Held = false, false
		if c := s.canvas(); c != nil {
			c.Unfocus()
		}
	default:
		if c := s.canvas(); c != nil && c.OnTypedKey() != nil {
			c.OnTypedKey()(e)
		}
		return
	}
	s.pointed()
}
