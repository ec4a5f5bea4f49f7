package chart

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// Fyne caches a raster's picture in a texture, and drops it on Refresh, but only if it knows the raster's canvas. It
// forgets the canvas of hidden objects, and of objects not used for a minute. Refresh then has no effect, and the old
// picture is stretched to the new size. A raster that Fyne has forgotten is therefore replaced by a new one, which has
// no texture yet.

// newRaster makes a raster with the same position and size that has not been drawn yet.
func (s *surface) newRaster() {
	old := s.raster
	s.raster = canvas.NewRaster(s.generate)
	s.raster.ScaleMode = canvas.ImageScalePixels // it has as many pixels as the screen
	s.drawn = false
	if old != nil {
		s.raster.Move(old.Position())
		s.raster.Resize(old.Size())
	}
}

// redraw makes Fyne draw the chart again.
func (s *surface) redraw() {
	if s.drawn && s.forgotten() {
		s.newRaster()
	}
	s.fit(s.Size()) // the screen's scale may have changed
	s.raster.Refresh()
}

// forgotten reports whether Fyne knows no canvas for the raster.
func (s *surface) forgotten() bool {
	app := fyne.CurrentApp()
	return app == nil || app.Driver().CanvasForObject(s.raster) == nil
}

// CreateRenderer implements fyne.Widget.
func (s *surface) CreateRenderer() fyne.WidgetRenderer { return &surfaceRenderer{surface: s} }

// surfaceRenderer shows the surface's current raster.
type surfaceRenderer struct {
	surface *surface
	objects []fyne.CanvasObject
}

// Layout implements fyne.WidgetRenderer.
func (r *surfaceRenderer) Layout(size fyne.Size) {
	r.surface.fit(size)
}

// fit gives the raster the size of the chart.
func (s *surface) fit(size fyne.Size) {
	if size = s.whole(size); s.raster.Size() == size {
		return
	}
	if s.drawn && s.forgotten() {
		s.newRaster()
	}
	s.raster.Resize(size)
}

// whole returns a size without fractions of pixels, as far as the screen's are known. For other sizes Fyne rounds the picture's
// height and, on the screen, its upper and lower edges separately, so that a row may be left out or drawn twice.
func (s *surface) whole(size fyne.Size) fyne.Size {
	scale := float32(1)
	if !s.forgotten() {
		scale = fyne.CurrentApp().Driver().CanvasForObject(s.raster).Scale()
	}
	floor := func(v float32) float32 { return float32(math.Floor(float64(v*scale)+1e-3)) / scale }
	return fyne.NewSize(floor(size.Width), floor(size.Height))
}

// MinSize implements fyne.WidgetRenderer.
func (r *surfaceRenderer) MinSize() fyne.Size { return r.surface.minSize }

// Objects implements fyne.WidgetRenderer.
func (r *surfaceRenderer) Objects() []fyne.CanvasObject {
	if len(r.objects) == 0 || r.objects[0] != r.surface.raster {
		r.objects = []fyne.CanvasObject{r.surface.raster}
	}
	return r.objects
}

// Refresh implements fyne.WidgetRenderer.
func (r *surfaceRenderer) Refresh() { r.surface.redraw() }

// Destroy implements fyne.WidgetRenderer.
func (r *surfaceRenderer) Destroy() {}
