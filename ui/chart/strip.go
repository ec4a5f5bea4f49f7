package chart

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"assay/internal/chart"
)

// Strip is the widget of a heat strip.
type Strip struct {
	surface
	*chart.Strip
	// OnChosen is called when a cell is clicked, or when Enter or Space is typed on it.
	OnChosen func(cell int)
}

// NewStrip makes an empty heat strip.
func NewStrip(c chart.StripConfig) *Strip {
	s := &Strip{Strip: chart.NewStrip(c)}
	s.init(s, false, nil)
	s.minSize = fyne.NewSize(180, 72)
	s.paint = func(img *image.RGBA, style chart.Style, scale float64) {
		s.renderer.DrawStrip(img, s.Strip, style, scale, s.pointing())
	}
	s.move = s.step
	return s
}

// SetCells shows other cells and redraws. The selection stays if it can.
func (s *Strip) SetCells(cells []chart.StripCell) {
	s.Strip.SetCells(cells)
	s.Refresh()
}

// SetUnavailable shows why there are no cells, until the next SetCells.
func (s *Strip) SetUnavailable(reason string) {
	s.Strip.SetUnavailable(reason)
	s.Refresh()
}

// Select marks a cell; -1 marks none.
func (s *Strip) Select(cell int) {
	s.Strip.Select(cell)
	s.Refresh()
}

// Refresh redraws the strip.
func (s *Strip) Refresh() { s.redraw() }

// step moves the mark with the arrow keys.
func (s *Strip) step(dx, _ int) {
	if dx != 0 && s.Len() > 0 {
		s.Strip.Select(max(0, s.Selected()+dx))
		s.hover.On, s.hover.Held = true, true
	}
}

// Tapped implements fyne.Tappable: it selects the cell under the pointer and calls OnChosen.
func (s *Strip) Tapped(e *fyne.PointEvent) {
	s.requestFocus()
	if s.img == nil || s.renderer == nil {
		return
	}
	at := image.Pt(int(float64(e.Position.X)*s.scale), int(float64(e.Position.Y)*s.scale))
	if i := s.renderer.StripCellAt(s.Strip, s.img.Rect, at); i >= 0 {
		s.Select(i)
		s.choose()
	}
}

// TypedKey implements fyne.Focusable.
func (s *Strip) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		s.choose()
		return
	}
	s.surface.TypedKey(e)
}

func (s *Strip) choose() {
	if i := s.Selected(); s.OnChosen != nil && i >= 0 && i < s.Len() {
		s.OnChosen(i)
	}
}

// Cursor implements desktop.Cursorable.
func (s *Strip) Cursor() desktop.Cursor {
	if s.OnChosen != nil {
		return desktop.PointerCursor
	}
	return desktop.DefaultCursor
}
