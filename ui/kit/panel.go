package kit

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Fill is a rectangle in a theme color.
type Fill struct {
	widget.BaseWidget
	color  fyne.ThemeColorName
	Stroke fyne.ThemeColorName // empty: none
	radius float32
}

func NewFill(color fyne.ThemeColorName, radius float32) *Fill {
	f := &Fill{color: color, radius: radius}
	f.ExtendBaseWidget(f)
	return f
}

// CreateRenderer is part of fyne.Widget.
func (f *Fill) CreateRenderer() fyne.WidgetRenderer {
	f.ExtendBaseWidget(f)
	r := &fillRenderer{fill: f}
	for i := range r.rects {
		r.rects[i] = canvas.NewRectangle(nil)
	}
	r.Layout(f.Size()) // Fyne drops the renderer of hidden objects, but not their size
	return r
}

// fillRenderer draws a large fill with round corners in parts: a single one would cost a software GL several times as much,
// since it computes the distance to the corners for every pixel. An edge is a fill that a smaller one covers: a stroke
// falls on different pixels in a picture than in a window.
type fillRenderer struct {
	fill  *Fill
	rects [fillParts]*canvas.Rectangle
}

// The parts of a fill, from the back to the front. A small, square or translucent fill has only top, and innerTop if it has
// an edge.
const (
	fillTop = iota
	fillBottom
	fillLeft
	fillRight
	innerTop
	innerBottom
	innerMiddle
	fillParts
)

func (r *fillRenderer) MinSize() fyne.Size { return fyne.Size{} }

// divides reports whether the fill is drawn in parts.
func (r *fillRenderer) divides(fill color.Color) bool {
	size, end := r.fill.Size(), 2*r.fill.radius
	_, _, _, alpha := fill.RGBA()
	return end > 0 && size.Height > 3*end && size.Width > 3*end && alpha == 0xffff
}

func (r *fillRenderer) Layout(size fyne.Size) {
	fill, edge, thick := theme.Color(r.fill.color), theme.Color(r.fill.color), float32(0)
	if r.fill.Stroke != "" {
		edge, thick = theme.Color(r.fill.Stroke), 1
	}
	parts, radius := r.divides(fill), r.fill.radius
	for i, rect := range r.rects {
		rect.Hidden = !parts && i != fillTop && i != innerTop || thick == 0 && i > fillBottom && i < innerMiddle
		rect.FillColor = edge
		if i >= innerTop {
			rect.FillColor = fill
		}
	}
	if radius > 0 {
		size = whole(size)
	}
	if !parts {
		r.rects[fillTop].CornerRadius, r.rects[innerTop].CornerRadius = radius, max(0, radius-thick)
		put(r.rects[fillTop], 0, 0, size.Width, size.Height)
		put(r.rects[innerTop], thick, thick, size.Width-2*thick, size.Height-2*thick)
		return
	}
	r.ends(fillTop, fillBottom, size, 0, radius)
	r.ends(innerTop, innerBottom, size, thick, radius-thick)
	// These cover the seams of the ends, where a window draws a soft edge.
	height := size.Height - 2*radius
	put(r.rects[fillLeft], 0, radius, thick, height)
	put(r.rects[fillRight], size.Width-thick, radius, thick, height)
	put(r.rects[innerMiddle], thick, radius, size.Width-2*thick, height)
}

// ends places the parts with round corners, at a distance from the edge. They are no taller than the corners and the soft
// edge.
func (r *fillRenderer) ends(above, below int, size fyne.Size, inset, radius float32) {
	end := r.fill.radius + 1
	top, bottom, height := r.rects[above], r.rects[below], end-inset
	top.CornerRadius, top.TopLeftCornerRadius, top.TopRightCornerRadius = 0, radius, radius
	bottom.BottomLeftCornerRadius, bottom.BottomRightCornerRadius = radius, radius
	put(top, inset, inset, size.Width-2*inset, height)
	put(bottom, inset, size.Height-end, size.Width-2*inset, height)
}

// whole returns a size without fractions, so that all its parts align with pixels.
func whole(size fyne.Size) fyne.Size {
	floor := func(x float32) float32 { return float32(math.Floor(float64(x) + 0.01)) }
	return fyne.NewSize(floor(size.Width), floor(size.Height))
}

func put(o fyne.CanvasObject, x, y, width, height float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(width, height))
}

func (r *fillRenderer) Refresh() {
	r.Layout(r.fill.Size())
	canvas.Refresh(r.fill)
}

func (r *fillRenderer) Objects() []fyne.CanvasObject {
	list := make([]fyne.CanvasObject, fillParts)
	for i, rect := range r.rects {
		list[i] = rect
	}
	return list
}

func (r *fillRenderer) Destroy() {}

// NewPanel puts content on a card with a thin border.
func NewPanel(content fyne.CanvasObject, pad float32) *fyne.Container {
	back := NewFill(ColorPanel, 8)
	back.Stroke = theme.ColorNameSeparator
	return container.NewStack(back, Inset(content, pad, pad))
}

// Inset pads content by h at its sides and v above and below.
func Inset(content fyne.CanvasObject, h, v float32) *fyne.Container {
	return container.New(layout.NewCustomPaddedLayout(v, v, h, h), content)
}

// Stack stacks objects with a gap.
func Stack(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(gap), objects...)
}

// Row puts objects side by side with a gap.
func Row(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedHBoxLayout(gap), objects...)
}

// Bar is a progress bar without animation.
type Bar struct {
	widget.BaseWidget
	fraction float64
	color    fyne.ThemeColorName
}

func NewBar() *Bar {
	b := &Bar{color: theme.ColorNamePrimary}
	b.ExtendBaseWidget(b)
	return b
}

// Set moves the bar to a fraction, 0…1.
func (b *Bar) Set(fraction float64, color fyne.ThemeColorName) {
	fraction = min(1, max(0, fraction))
	if fraction == b.fraction && color == b.color {
		return
	}
	b.fraction, b.color = fraction, color
	b.Refresh()
}

// CreateRenderer is part of fyne.Widget.
func (b *Bar) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	r := &barRenderer{bar: b, track: canvas.NewRectangle(nil), done: canvas.NewRectangle(nil)}
	r.apply()
	return r
}

type barRenderer struct {
	bar         *Bar
	track, done *canvas.Rectangle
}

const barHeight = 6

func (r *barRenderer) apply() {
	r.track.FillColor, r.track.CornerRadius = theme.Color(colorTrack), barHeight/2
	r.done.FillColor, r.done.CornerRadius = theme.Color(r.bar.color), barHeight/2
}

func (r *barRenderer) MinSize() fyne.Size { return fyne.NewSize(40, barHeight) }

func (r *barRenderer) Layout(size fyne.Size) {
	y := (size.Height - barHeight) / 2
	r.track.Move(fyne.NewPos(0, y))
	r.done.Move(fyne.NewPos(0, y))
	r.track.Resize(fyne.NewSize(size.Width, barHeight))
	width := size.Width * float32(r.bar.fraction)
	if width > 0 {
		width = max(width, barHeight)
	}
	r.done.Hidden = width == 0 // a rounded rectangle of zero width is still visible
	r.done.Resize(fyne.NewSize(width, barHeight))
}

func (r *barRenderer) Refresh() {
	r.apply()
	r.Layout(r.bar.Size())
	canvas.Refresh(r.bar)
}

func (r *barRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.track, r.done} }
func (r *barRenderer) Destroy()                     {}

// StackOf puts objects on top of each other.
func StackOf(objects ...fyne.CanvasObject) *fyne.Container { return container.NewStack(objects...) }
