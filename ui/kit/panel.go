package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Fill is a rectangle in a colour of the theme.
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
	r.Layout(f.Size()) // the window forgets what was hidden for a while, but not its size
	return r
}

// fillRenderer draws a large fill with round corners in parts: a whole one would cost a software GL several times as much,
// since it works out the distance to the corners for every pixel.
type fillRenderer struct {
	fill  *Fill
	rects [fillParts]*canvas.Rectangle
	parts bool // drawn in parts
}

// The parts of a fill. One that is small, has square corners or lets what is behind shine through is all top.
const (
	fillTop = iota
	fillBottom
	fillLeft // the edges between
	fillRight
	fillInner // covers where the ends would show an edge of their own
	fillParts
)

// apply takes the colours and corners.
func (r *fillRenderer) apply() {
	fill, stroke := theme.Color(r.fill.color), r.fill.Stroke
	r.parts = r.divides(fill)
	for i, rect := range r.rects {
		rect.Hidden = i != fillTop && !r.parts
		rect.FillColor, rect.StrokeColor, rect.StrokeWidth = fill, nil, 0
		switch {
		case i == fillInner || stroke == "":
		case i == fillLeft || i == fillRight:
			rect.FillColor = theme.Color(stroke)
		default:
			rect.StrokeColor, rect.StrokeWidth = theme.Color(stroke), 1
		}
	}
	top, bottom := r.rects[fillTop], r.rects[fillBottom]
	top.CornerRadius, top.TopLeftCornerRadius, top.TopRightCornerRadius = r.fill.radius, 0, 0
	if r.parts {
		top.CornerRadius, top.TopLeftCornerRadius, top.TopRightCornerRadius = 0, r.fill.radius, r.fill.radius
		bottom.BottomLeftCornerRadius, bottom.BottomRightCornerRadius = r.fill.radius, r.fill.radius
	}
}

func (r *fillRenderer) MinSize() fyne.Size { return fyne.Size{} }

// divides reports whether the fill is drawn in parts.
func (r *fillRenderer) divides(fill color.Color) bool {
	size, end := r.fill.Size(), 2*r.fill.radius
	_, _, _, alpha := fill.RGBA()
	return end > 0 && size.Height > 3*end && size.Width > 3*end && alpha == 0xffff
}

func (r *fillRenderer) Layout(size fyne.Size) {
	r.apply()
	if !r.parts {
		put(r.rects[fillTop], 0, 0, size.Width, size.Height)
		return
	}
	end := 2 * r.fill.radius
	put(r.rects[fillTop], 0, 0, size.Width, end)
	put(r.rects[fillBottom], 0, size.Height-end, size.Width, end)
	put(r.rects[fillLeft], 0, end, 1, size.Height-2*end)
	put(r.rects[fillRight], size.Width-1, end, 1, size.Height-2*end)
	put(r.rects[fillInner], 1, r.fill.radius, size.Width-2, size.Height-end)
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

// Column stacks objects with a gap.
func Column(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(gap), objects...)
}

// Row puts objects side by side with a gap.
func Row(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedHBoxLayout(gap), objects...)
}

// Bar is a progress bar that moves only when it is told to.
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
	r.done.Hidden = width == 0 // a rounded rectangle without width still leaves a mark
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
