package kit

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Range is a slider with two thumbs: the ends of a range. The thumbs cannot pass each other. Each can be reached with
// the keyboard and moved with the arrow keys, Home and End; the pointer moves the nearer one.
type Range struct {
	widget.DisableableWidget
	Lo, Hi         float64 // positions of the thumbs
	Min, Max, Step float64
	OnChanged      func(lo, hi float64)

	thumbs [2]*thumb
	held   int // the thumb that is being dragged; −1: none
}

// NewRange is a range from lo to hi, with its thumbs at the ends.
func NewRange(lo, hi float64, changed func(lo, hi float64)) *Range {
	r := &Range{Lo: lo, Hi: hi, Min: lo, Max: hi, Step: 1, OnChanged: changed, held: -1}
	for i := range r.thumbs {
		r.thumbs[i] = newThumb(r, i)
	}
	r.ExtendBaseWidget(r)
	return r
}

// Set moves both thumbs without calling the handler.
func (r *Range) Set(lo, hi float64) {
	if r.Lo != lo || r.Hi != hi {
		r.Lo, r.Hi = lo, hi
		r.Refresh()
	}
}

// move moves a thumb, at most up to the other, and calls the handler.
func (r *Range) move(i int, to float64) {
	if r.Disabled() {
		return
	}
	lo, hi := r.Lo, r.Hi
	to = min(r.Max, max(r.Min, r.Min+math.Round((to-r.Min)/r.Step)*r.Step))
	if i == 0 {
		lo = min(to, hi)
	} else {
		hi = max(to, lo)
	}
	if lo == r.Lo && hi == r.Hi {
		return
	}
	r.Set(lo, hi)
	if r.OnChanged != nil {
		r.OnChanged(lo, hi)
	}
}

// at returns the position of thumb i.
func (r *Range) at(i int) float64 {
	if i == 0 {
		return r.Lo
	}
	return r.Hi
}

// value returns the position at a place on the widget.
func (r *Range) value(x float32) float64 {
	room := max(1, r.Size().Width-thumbSize)
	return r.Min + float64((x-thumbSize/2)/room)*(r.Max-r.Min)
}

// x returns the center of a thumb.
func (r *Range) x(at float64) float32 {
	part := (at - r.Min) / max(r.Max-r.Min, 1e-9)
	return thumbSize/2 + float32(part)*(r.Size().Width-thumbSize)
}

// nearest returns the thumb nearer to a position; if they coincide, the one that can move there.
func (r *Range) nearest(x float32) int {
	lo, hi := x-r.x(r.Lo), r.x(r.Hi)-x
	if r.Lo == r.Hi {
		if x < r.x(r.Lo) {
			return 0
		}
		return 1
	}
	if max(lo, -lo) <= max(hi, -hi) {
		return 0
	}
	return 1
}

// moveTo moves the dragged thumb, or the nearest, to a position.
func (r *Range) moveTo(x float32) {
	if r.Disabled() {
		return
	}
	if r.held < 0 {
		r.held = r.nearest(x)
		if c := fyne.CurrentApp().Driver().CanvasForObject(r); c != nil {
			c.Focus(r.thumbs[r.held])
		}
	}
	r.move(r.held, r.value(x))
}

// Dragged is part of fyne.Draggable.
func (r *Range) Dragged(e *fyne.DragEvent) {
	if r.held < 0 {
		r.held = r.nearest(e.Position.X - e.Dragged.DX)
		if r.Lo == r.Hi && e.Dragged.DX < 0 { // if the thumbs coincide, the one that can move there
			r.held = 0
		}
	}
	r.moveTo(e.Position.X)
}

// DragEnd is part of fyne.Draggable.
func (r *Range) DragEnd() { r.held = -1 }

// Tapped is part of fyne.Tappable.
func (r *Range) Tapped(e *fyne.PointEvent) {
	r.moveTo(e.Position.X)
	r.held = -1
}

// CreateRenderer is part of fyne.Widget.
func (r *Range) CreateRenderer() fyne.WidgetRenderer {
	r.ExtendBaseWidget(r)
	v := &rangeRenderer{of: r, track: canvas.NewRectangle(nil), span: canvas.NewRectangle(nil)}
	v.apply()
	return v
}

// Sizes of a range.
const (
	thumbSize   = 18
	trackHeight = 4
	thumbDot    = 14
	thumbRim    = 1.5
	rangeHeight = 22
)

type rangeRenderer struct {
	of          *Range
	track, span *canvas.Rectangle
}

func (v *rangeRenderer) apply() {
	v.track.FillColor, v.track.CornerRadius = theme.Color(colorTrack), trackHeight/2
	v.span.FillColor, v.span.CornerRadius = theme.Color(theme.ColorNamePrimary), trackHeight/2
	if v.of.Disabled() {
		v.span.FillColor = theme.Color(theme.ColorNameDisabled)
	}
}

func (v *rangeRenderer) MinSize() fyne.Size { return fyne.NewSize(4*thumbSize, rangeHeight) }

func (v *rangeRenderer) Layout(size fyne.Size) {
	y := (size.Height - trackHeight) / 2
	put(v.track, 0, y, size.Width, trackHeight) // where a caption begins; the dots stop short of its ends
	lo, hi := v.of.x(v.of.Lo), v.of.x(v.of.Hi)
	put(v.span, lo, y, max(0, hi-lo), trackHeight)
	for i, t := range v.of.thumbs {
		t.Resize(fyne.NewSquareSize(thumbSize))
		t.Move(fyne.NewPos(v.of.x(v.of.at(i))-thumbSize/2, (size.Height-thumbSize)/2))
	}
}

func (v *rangeRenderer) Refresh() {
	v.apply()
	v.Layout(v.of.Size())
	for _, t := range v.of.thumbs {
		t.Refresh()
	}
	canvas.Refresh(v.of)
}

func (v *rangeRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{v.track, v.span, v.of.thumbs[0], v.of.thumbs[1]}
}
func (v *rangeRenderer) Destroy() {}

// thumb is one end of a range.
type thumb struct {
	widget.BaseWidget
	of      *Range
	index   int
	focused bool
	hovered bool
}

func newThumb(r *Range, i int) *thumb {
	t := &thumb{of: r, index: i}
	t.ExtendBaseWidget(t)
	return t
}

// FocusGained is part of fyne.Focusable.
func (t *thumb) FocusGained() { t.focused = true; t.Refresh(); Reveal(t) }

// FocusLost is part of fyne.Focusable.
func (t *thumb) FocusLost() { t.focused = false; t.Refresh() }

// TypedRune is part of fyne.Focusable.
func (t *thumb) TypedRune(rune) {}

// MouseIn is part of desktop.Hoverable.
func (t *thumb) MouseIn(*desktop.MouseEvent) { t.hovered = true; t.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (t *thumb) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (t *thumb) MouseOut() { t.hovered = false; t.Refresh() }

// Tapped is part of fyne.Tappable: a click on the thumb moves the focus there.
func (t *thumb) Tapped(*fyne.PointEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(t); c != nil && !t.of.Disabled() {
		c.Focus(t)
	}
}

// Disabled is part of fyne.Disableable, so that Tab skips a disabled range.
func (t *thumb) Disabled() bool { return t.of.Disabled() }

// Enable is part of fyne.Disableable.
func (t *thumb) Enable() { t.of.Enable() }

// Disable is part of fyne.Disableable.
func (t *thumb) Disable() { t.of.Disable() }

// TypedKey is part of fyne.Focusable.
func (t *thumb) TypedKey(e *fyne.KeyEvent) {
	at := t.of.at(t.index)
	switch e.Name {
	case fyne.KeyLeft, fyne.KeyDown:
		t.of.move(t.index, math.Ceil((at-t.of.Min)/t.of.Step-1)*t.of.Step+t.of.Min)
	case fyne.KeyRight, fyne.KeyUp:
		t.of.move(t.index, math.Floor((at-t.of.Min)/t.of.Step+1)*t.of.Step+t.of.Min)
	case fyne.KeyHome:
		t.of.move(t.index, t.of.Min)
	case fyne.KeyEnd:
		t.of.move(t.index, t.of.Max)
	}
}

// CreateRenderer is part of fyne.Widget.
func (t *thumb) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	r := &thumbRenderer{of: t, halo: canvas.NewCircle(nil), dot: canvas.NewCircle(nil)}
	r.apply()
	return r
}

type thumbRenderer struct {
	of        *thumb
	halo, dot *canvas.Circle
}

func (r *thumbRenderer) apply() {
	r.dot.FillColor = theme.Color(theme.ColorNamePrimary)
	if r.of.Disabled() {
		r.dot.FillColor = theme.Color(theme.ColorNameDisabled)
	}
	r.dot.StrokeColor, r.dot.StrokeWidth = theme.Color(ColorPanel), thumbRim
	r.halo.FillColor = theme.Color(theme.ColorNameHover)
	if r.of.focused {
		r.halo.FillColor = theme.Color(theme.ColorNameFocus)
	}
	r.halo.Hidden = r.of.Disabled() || !r.of.focused && !r.of.hovered
}

func (r *thumbRenderer) MinSize() fyne.Size { return fyne.NewSquareSize(thumbSize) }

func (r *thumbRenderer) Layout(size fyne.Size) {
	const grow = 3
	r.halo.Move(fyne.NewPos(-grow, -grow))
	r.halo.Resize(fyne.NewSquareSize(thumbSize + 2*grow))
	r.dot.Move(fyne.NewSquareOffsetPos((thumbSize - thumbDot) / 2))
	r.dot.Resize(fyne.NewSquareSize(thumbDot))
}

func (r *thumbRenderer) Refresh() {
	r.apply()
	canvas.Refresh(r.of)
}

func (r *thumbRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.halo, r.dot} }
func (r *thumbRenderer) Destroy()                     {}
