package chart

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/internal/chart"
)

// captionSize is the theme's caption size at which a chart's text has its default size.
const captionSize = 11

// surface is shared by Live and Plot: one raster over one reused image.
type surface struct {
	widget.BaseWidget

	self     fyne.Widget // the widget that embeds this, for theme overrides
	renderer *chart.Renderer
	fontID   string // the font of renderer
	failure  error  // why there is no renderer
	raster   *canvas.Raster
	drawn    bool // the raster was drawn
	img      *image.RGBA
	hover    chart.Hover
	pointer  fyne.Position
	minSize  fyne.Size
	focused  bool
	scale    float64     // pixels per logical pixel, when last drawn
	echo     chart.Hover // the moment that another chart points at
	onMoment func()      // see OnMoment
	busy     func() bool // see PaceBy
	post     func(func())
	due      bool // a redraw was requested
	model    func() *chart.Model
	// paint draws instead of the model's chart, if not nil.
	paint func(img *image.RGBA, style chart.Style, scale float64)
	// OnFocus is called when the chart gets the focus, if not nil.
	OnFocus func()
	// move handles an arrow key: one step right or down if positive.
	move func(dx, dy int)
}

func (s *surface) init(self fyne.Widget, all bool, model func() *chart.Model) {
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

// SetMinSize sets the chart's minimum size.
func (s *surface) SetMinSize(size fyne.Size) { s.minSize = size }

// Err returns why the chart cannot draw: the theme's font cannot be read. Drawing sets it.
func (s *surface) Err() error { return s.failure }

// generate draws the chart in a w × h image, reusing the last one if the size is the same.
func (s *surface) generate(w, h int) image.Image {
	w, h, s.drawn = max(1, w), max(1, h), true
	if s.img == nil || s.img.Rect.Dx() != w || s.img.Rect.Dy() != h {
		s.img = image.NewRGBA(image.Rect(0, 0, w, h))
	}
	style := s.style()
	if !s.ready() {
		chart.Fill(s.img, style.Background)
		return s.img
	}
	s.scale = 1
	if size := s.raster.Size(); size.Width > 0 {
		s.scale = float64(w) / float64(size.Width)
	}
	if s.paint != nil {
		s.paint(s.img, style, s.scale)
	} else {
		s.renderer.DrawWith(s.img, s.model(), style, s.scale, s.pointing())
	}
	if s.focused {
		chart.Frame(s.img, max(1, int(2*s.scale)), s.color(theme.ColorNamePrimary))
	}
	return s.img
}

// pointing returns the hover of this chart, or else of another one.
func (s *surface) pointing() chart.Hover {
	h := s.hover
	if !h.On {
		return s.echo
	}
	h.X, h.Y = float64(s.pointer.X)*s.scale, float64(s.pointer.Y)*s.scale
	return h
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
	s.renderer, s.failure = chart.NewRenderer(font.Content())
	if s.failure != nil { // a theme's font may have an unsupported format
		s.renderer, _ = chart.NewRenderer(theme.DefaultTextFont().Content())
	}
	s.fontID = font.Name()
	return s.renderer != nil
}

// style is derived from the theme's colors and text size.
func (s *surface) style() chart.Style {
	size := theme.CurrentForWidget(s.self).Size(theme.SizeNameCaptionText)
	return chart.StyleOf(s.color(theme.ColorNameBackground), s.color(theme.ColorNameForeground), float64(size)/captionSize)
}

func (s *surface) color(name fyne.ThemeColorName) color.NRGBA {
	return color.NRGBAModel.Convert(theme.ColorForWidget(name, s.self)).(color.NRGBA)
}

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

// moveTime moves the crosshair by samples.
func (s *surface) moveTime(dx, _ int) { s.hover.MoveTime(s.model(), dx) }
