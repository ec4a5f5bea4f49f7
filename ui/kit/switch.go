package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Switch turns something on or off: a track with a knob, at the right when on. Space and Return move it.
type Switch struct {
	widget.DisableableWidget
	On        bool
	OnChanged func(on bool)

	hovered, focused bool
}

// NewSwitch is a switch that is off.
func NewSwitch(changed func(on bool)) *Switch {
	s := &Switch{OnChanged: changed}
	s.ExtendBaseWidget(s)
	return s
}

// Set moves the switch without calling the handler.
func (s *Switch) Set(on bool) {
	if s.On != on {
		s.On = on
		s.Refresh()
	}
}

// toggle moves the switch and calls the handler.
func (s *Switch) toggle() {
	if s.Disabled() {
		return
	}
	s.Set(!s.On)
	if s.OnChanged != nil {
		s.OnChanged(s.On)
	}
}

// Tapped is part of fyne.Tappable.
func (s *Switch) Tapped(*fyne.PointEvent) { s.toggle() }

// MouseIn is part of desktop.Hoverable.
func (s *Switch) MouseIn(*desktop.MouseEvent) { s.hovered = true; s.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (s *Switch) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (s *Switch) MouseOut() { s.hovered = false; s.Refresh() }

// FocusGained is part of fyne.Focusable.
func (s *Switch) FocusGained() { s.focused = true; s.Refresh(); Reveal(s) }

// FocusLost is part of fyne.Focusable.
func (s *Switch) FocusLost() { s.focused = false; s.Refresh() }

// TypedRune is part of fyne.Focusable.
func (s *Switch) TypedRune(rune) {}

// TypedKey is part of fyne.Focusable.
func (s *Switch) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		s.toggle()
	}
}

// CreateRenderer is part of fyne.Widget.
func (s *Switch) CreateRenderer() fyne.WidgetRenderer {
	s.ExtendBaseWidget(s)
	r := &switchRenderer{of: s, halo: canvas.NewRectangle(nil), track: canvas.NewRectangle(nil), knob: canvas.NewCircle(nil)}
	r.apply()
	return r
}

// Sizes of a switch.
const (
	switchWidth, switchHeight = 34, 20
	switchHalo                = 3
)

type switchRenderer struct {
	of          *Switch
	halo, track *canvas.Rectangle
	knob        *canvas.Circle
}

// apply applies the colors of the switch's state.
func (r *switchRenderer) apply() {
	s := r.of
	r.track.FillColor, r.track.CornerRadius = theme.Color(colorTrack), switchHeight/2
	r.track.StrokeColor, r.track.StrokeWidth = theme.Color(theme.ColorNameInputBorder), 1
	r.knob.FillColor = theme.Color(colorKnob)
	r.knob.StrokeColor, r.knob.StrokeWidth = theme.Color(theme.ColorNameInputBorder), 1 // white on a light track
	switch {
	case s.Disabled():
		r.knob.FillColor = theme.Color(theme.ColorNameDisabled)
	case s.On:
		r.track.FillColor = theme.Color(theme.ColorNamePrimary)
		r.track.StrokeColor, r.knob.StrokeWidth = r.track.FillColor, 0
		r.knob.FillColor = theme.Color(theme.ColorNameForegroundOnPrimary)
	}
	r.halo.CornerRadius = switchHeight/2 + switchHalo
	r.halo.FillColor = theme.Color(theme.ColorNameHover)
	if s.focused {
		r.halo.FillColor = theme.Color(theme.ColorNameFocus)
	}
	r.halo.Hidden = s.Disabled() || !s.focused && !s.hovered
}

func (r *switchRenderer) MinSize() fyne.Size {
	return fyne.NewSize(switchWidth+2*switchHalo, switchHeight+2*switchHalo)
}

func (r *switchRenderer) Layout(size fyne.Size) {
	x, y := size.Width-switchWidth-switchHalo, (size.Height-switchHeight)/2
	r.halo.Move(fyne.NewPos(x-switchHalo, y-switchHalo))
	r.halo.Resize(fyne.NewSize(switchWidth+2*switchHalo, switchHeight+2*switchHalo))
	r.track.Move(fyne.NewPos(x, y))
	r.track.Resize(fyne.NewSize(switchWidth, switchHeight))
	at := x + 3
	if r.of.On {
		at = x + switchWidth - switchHeight + 3
	}
	r.knob.Move(fyne.NewPos(at, y+3))
	r.knob.Resize(fyne.NewSquareSize(switchHeight - 6))
}

func (r *switchRenderer) Refresh() {
	r.apply()
	r.Layout(r.of.Size())
	canvas.Refresh(r.of)
}

func (r *switchRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.halo, r.track, r.knob}
}
func (r *switchRenderer) Destroy() {}
