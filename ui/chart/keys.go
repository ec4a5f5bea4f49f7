package chart

import (
	"math"

	"fyne.io/fyne/v2"
)

// Tapped implements fyne.Tappable: a click gives the chart the keyboard.
func (s *surface) Tapped(*fyne.PointEvent) { s.requestFocus() }

func (s *surface) requestFocus() {
	if c := s.canvas(); c != nil {
		c.Focus(s.self.(fyne.Focusable))
	}
}

// canvas is the canvas that shows the chart; nil where none does.
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

// TypedKey implements fyne.Focusable: the arrows move the crosshair, Home and
// End go to the ends, Escape leaves. Any other key is for the window.
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

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// movePoint moves the selection of a plot along a series, or to another one.
func (p *Plot) movePoint(dx, dy int) {
	h := &p.hover
	if len(p.m.Series) == 0 {
		return
	}
	if !h.On || !h.Held {
		h.Series, h.Point, dx = 0, -1, 1
	}
	h.On, h.Held = true, true
	s := p.seriesFrom(dy)
	if s.Len() == 0 {
		return
	}
	at := h.Point
	for next := stepTo(at, dx, s.Len()); next != at; next = stepTo(at, sign(dx), s.Len()) {
		at = next
		if x, y := s.At(at); finite(x) && finite(y) {
			h.Point = at
			break
		}
		if dx == 0 {
			dx = 1
		}
	}
	h.Point = max(0, min(h.Point, s.Len()-1))
}

// seriesFrom selects the next series with points in a direction, and returns it;
// without a direction that of the selection, where it has points.
func (p *Plot) seriesFrom(dy int) *Series {
	n := len(p.m.Series)
	at := pos(p.hover.Series+dy, n)
	for range n {
		if p.m.Series[at].Len() > 0 {
			break
		}
		at = pos(at+sign(dy), n)
	}
	p.hover.Series = at
	return &p.m.Series[at]
}

// stepTo is i moved by d within 0 … n-1.
func stepTo(i, d, n int) int { return max(min(0, n-1), min(n-1, i+d)) }
