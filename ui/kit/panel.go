package kit

import (
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
	r := &fillRenderer{fill: f, rect: canvas.NewRectangle(theme.Color(f.color))}
	r.apply()
	r.Layout(f.Size()) // the window forgets what was hidden for a while, but not its size
	return r
}

type fillRenderer struct {
	fill *Fill
	rect *canvas.Rectangle
}

func (r *fillRenderer) apply() {
	r.rect.FillColor, r.rect.CornerRadius = theme.Color(r.fill.color), r.fill.radius
	if r.fill.Stroke != "" {
		r.rect.StrokeColor, r.rect.StrokeWidth = theme.Color(r.fill.Stroke), 1
	}
}

func (r *fillRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *fillRenderer) Layout(size fyne.Size)        { r.rect.Resize(size) }
func (r *fillRenderer) Refresh()                     { r.apply(); r.rect.Refresh() }
func (r *fillRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }
func (r *fillRenderer) Destroy()                     {}

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
