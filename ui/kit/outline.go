package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Fyne draws a stronger border around disabled controls than around enabled ones, none around a menu, and a slider thinner
// than a Range; the halo of a check box touches its text. Our controls use Fyne's renderers and correct what they drew.

// mended is a renderer whose output is corrected after each drawing.
type mended struct {
	fyne.WidgetRenderer
	mend func(drawn []fyne.CanvasObject)
}

func newMended(r fyne.WidgetRenderer, mend func([]fyne.CanvasObject)) fyne.WidgetRenderer {
	mend(r.Objects())
	return &mended{r, mend}
}

// Layout is part of fyne.WidgetRenderer.
func (m *mended) Layout(size fyne.Size) {
	m.WidgetRenderer.Layout(size)
	m.mend(m.Objects())
}

// Refresh is part of fyne.WidgetRenderer.
func (m *mended) Refresh() {
	m.WidgetRenderer.Refresh()
	m.mend(m.Objects())
}

// CreateRenderer is part of fyne.Widget.
func (e *Entry) CreateRenderer() fyne.WidgetRenderer {
	e.ExtendBaseWidget(e)
	return MendEntry(&e.Entry, e)
}

// MendEntry returns the renderer of the Fyne entry in a widget, with a fainter border while it is disabled, and a wheel.
func MendEntry(e *widget.Entry, on fyne.CanvasObject) fyne.WidgetRenderer {
	r := e.CreateRenderer()
	m := &mendedEntry{wheel: newWheel(e, on, r.Objects()[2].(*container.Scroll))}
	m.WidgetRenderer = newMended(r, func(drawn []fyne.CanvasObject) {
		if box, border := drawn[0].(*canvas.Rectangle), drawn[1].(*canvas.Rectangle); e.Disabled() {
			box.FillColor, border.StrokeColor = theme.Color(theme.ColorNameDisabledButton), theme.Color(colorBorderOff)
		}
	})
	return m
}

// mendedEntry puts a wheel on top of what Fyne draws for an entry.
type mendedEntry struct {
	fyne.WidgetRenderer
	wheel *wheel
}

// Objects is part of fyne.WidgetRenderer.
func (m *mendedEntry) Objects() []fyne.CanvasObject {
	drawn := m.WidgetRenderer.Objects()
	return append(drawn[:len(drawn):len(drawn)], m.wheel)
}

// Layout is part of fyne.WidgetRenderer.
func (m *mendedEntry) Layout(size fyne.Size) {
	m.WidgetRenderer.Layout(size)
	m.wheel.Resize(size)
}

// CreateRenderer is part of fyne.Widget.
func (s *Select) CreateRenderer() fyne.WidgetRenderer {
	s.ExtendBaseWidget(s)
	return newMended(s.Select.CreateRenderer(), func(drawn []fyne.CanvasObject) {
		back := drawn[0].(*canvas.Rectangle)
		back.StrokeColor, back.StrokeWidth = theme.Color(theme.ColorNameInputBorder), 1
		if s.Disabled() {
			back.StrokeColor = theme.Color(colorBorderOff)
		}
	})
}

// checkHalo is how far the halo of a check box reaches beyond its icon.
const checkHalo = 1

// CreateRenderer is part of fyne.Widget.
func (c *Check) CreateRenderer() fyne.WidgetRenderer {
	c.ExtendBaseWidget(c)
	return newMended(c.Check.CreateRenderer(), func(drawn []fyne.CanvasObject) {
		box, halo := drawn[2].(*canvas.Image), drawn[0]
		put(halo, box.Position().X-checkHalo, box.Position().Y-checkHalo, box.Size().Width+2*checkHalo, box.Size().Height+2*checkHalo)
		if c.Disabled() && !c.Checked {
			box.Resource = theme.NewColoredResource(theme.CheckButtonIcon(), colorBorderOff)
			box.Refresh()
		}
	})
}

// CreateRenderer is part of fyne.Widget.
func (s *Slider) CreateRenderer() fyne.WidgetRenderer {
	s.ExtendBaseWidget(s)
	return newMended(s.Slider.CreateRenderer(), s.mend)
}

// mend draws the slider like a Range.
func (s *Slider) mend(drawn []fyne.CanvasObject) {
	track, active, dot := drawn[0].(*canvas.Rectangle), drawn[1].(*canvas.Rectangle), drawn[2].(*canvas.Circle)
	size := s.Size()
	middle := dot.Position().X + dot.Size().Width/2
	y := (size.Height - trackHeight) / 2
	put(track, 0, y, size.Width, trackHeight)
	put(active, 0, y, middle, trackHeight)
	track.CornerRadius, active.CornerRadius = trackHeight/2, trackHeight/2
	put(dot, middle-thumbDot/2, (size.Height-thumbDot)/2, thumbDot, thumbDot)
	dot.StrokeColor, dot.StrokeWidth = theme.Color(ColorPanel), thumbRim
}
