package chart

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// captionSize is the theme's size of captions at which the text of a chart has
// its own size.
const captionSize = 11

// surface is what Live and Plot share: one raster over one reused image.
type surface struct {
	widget.BaseWidget

	self     fyne.Widget // the widget that embeds this, which a theme override knows
	renderer *Renderer
	fontID   string // the font that renderer was made of
	failure  error  // why there is no renderer
	raster   *canvas.Raster
	drawn    bool // the raster was
	img      *image.RGBA
	hover    Hover
	pointer  fyne.Position
	minSize  fyne.Size
	focused  bool
	scale    float64     // pixels per logical pixel, when last drawn
	echo     Hover       // the moment that another chart points at
	onMoment func()      // see OnMoment
	busy     func() bool // see PaceBy
	post     func(func())
	due      bool // post was asked
	model    func() *Model
	// paint draws in place of the model's chart, where not nil.
	paint func(img *image.RGBA, style Style, scale float64)
	// OnFocus is told when the chart gets the keyboard, where not nil.
	OnFocus func()
	// move follows an arrow key, one step right or down where positive.
	move func(dx, dy int)
}

func (s *surface) init(self fyne.Widget, all bool, model func() *Model) {
	s.self = self
	s.ExtendBaseWidget(self)
	s.minSize = fyne.NewSize(180, 96)
	s.hover.All = all
	s.model = model
	s.newRaster()
}

// MinSize implements fyne.CanvasObject.
func (s *surface) MinSize() fyne.Size {
	return s.minSize
}

// SetMinSize sets the least size the chart asks for.
func (s *surface) SetMinSize(size fyne.Size) { s.minSize = size }

// Err is why the chart cannot draw: the theme's font cannot be read. The last
// drawing sets it.
func (s *surface) Err() error { return s.failure }

// generate draws the chart in a w × h image, the one it drew last where the
// size is the same.
func (s *surface) generate(w, h int) image.Image {
	w, h, s.drawn = max(1, w), max(1, h), true
	if s.img == nil || s.img.Rect.Dx() != w || s.img.Rect.Dy() != h {
		s.img = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	style := s.style()
	if !s.ready() {
		fillRect(s.img, s.img.Rect, style.Background)
		return s.img
	}
	s.scale = 1
	if size := s.Size(); size.Width > 0 {
		s.scale = float64(w) / float64(size.Width)
	}
	if s.paint != nil {
		s.paint(s.img, style, s.scale)
	} else {
		s.renderer.DrawWith(s.img, s.model(), style, s.scale, s.pointing())
	}
	if s.focused {
		s.drawFocus(s.scale)
	}
	return s.img
}

// pointing is what is pointed at here, or else on another chart.
func (s *surface) pointing() Hover {
	h := s.hover
	if !h.On {
		return s.echo
	}
	h.X, h.Y = float64(s.pointer.X)*s.scale, float64(s.pointer.Y)*s.scale
	return h
}

// drawFocus frames the chart that has the keyboard.
func (s *surface) drawFocus(scale float64) {
	c := s.color(theme.ColorNamePrimary)
	b, w := s.img.Rect, max(1, int(2*scale))
	for _, edge := range [...]image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y, b.Max.X, b.Min.Y+w), image.Rect(b.Min.X, b.Max.Y-w, b.Max.X, b.Max.Y),
		image.Rect(b.Min.X, b.Min.Y+w, b.Min.X+w, b.Max.Y-w), image.Rect(b.Max.X-w, b.Min.Y+w, b.Max.X, b.Max.Y-w),
	} {
		fillRect(s.img, edge, c)
	}
}

// ready makes the renderer on first use and whenever the theme's font changes.
func (s *surface) ready() bool {
	font := theme.CurrentForWidget(s.self).Font(fyne.TextStyle{})
	if font == nil {
		font = theme.DefaultTextFont()
	}
	if s.renderer != nil && s.fontID == font.Name() {
		return true
	}
	s.renderer, s.failure = NewRenderer(font.Content())
	if s.failure != nil { // a theme's font may be of a kind that cannot be read
		s.renderer, _ = NewRenderer(theme.DefaultTextFont().Content())
	}
	s.fontID = font.Name()
	return s.renderer != nil
}

// style takes the colours of the theme.
func (s *surface) style() Style {
	bg := s.color(theme.ColorNameBackground)
	fg := s.color(theme.ColorNameForeground)
	bg.A, fg.A = 255, 255
	dark := luma(bg) < luma(fg)
	grid := fg
	grid.A = 24
	size := theme.CurrentForWidget(s.self).Size(theme.SizeNameCaptionText)
	return Style{
		Background: bg, Foreground: fg, Secondary: mix(bg, fg, 0.66), Grid: grid, Dark: dark, Text: float64(size) / captionSize,
	}
}

func (s *surface) color(name fyne.ThemeColorName) color.NRGBA {
	return color.NRGBAModel.Convert(theme.ColorForWidget(name, s.self)).(color.NRGBA)
}

func luma(c color.NRGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }

// MouseIn implements desktop.Hoverable.
func (s *surface) MouseIn(e *desktop.MouseEvent) { s.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (s *surface) MouseMoved(e *desktop.MouseEvent) {
	s.hover.On, s.hover.Held, s.pointer = true, false, e.Position
	s.pointed()
}

// MouseOut implements desktop.Hoverable.
func (s *surface) MouseOut() {
	s.hover.On = false
	s.pointed()
}
