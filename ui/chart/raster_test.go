package chart

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/internal/chart"
)

// forgetful is a driver that forgets the canvas of objects.
type forgetful struct {
	fyne.Driver
	forgot bool
}

func (f *forgetful) CanvasForObject(o fyne.CanvasObject) fyne.Canvas {
	if f.forgot {
		return nil
	}
	return f.Driver.CanvasForObject(o)
}

type forgetfulApp struct {
	fyne.App
	driver *forgetful
}

func (a *forgetfulApp) Driver() fyne.Driver { return a.driver }

// If Fyne has forgotten a chart's canvas, Refresh would have no effect and the old picture would be stretched: a new
// raster is drawn instead.
func TestAForgottenRasterIsReplaced(t *testing.T) {
	app := test.NewTempApp(t)
	p := NewPlot(&chart.Model{Unavailable: "no result"})
	w := test.NewTempWindow(t, p)
	w.Resize(fyne.NewSize(400, 200))
	driver := &forgetful{Driver: app.Driver()}
	fyne.SetCurrentApp(&forgetfulApp{App: app, driver: driver})
	defer fyne.SetCurrentApp(app)

	first := p.raster
	p.generate(400, 200)
	p.Resize(fyne.NewSize(300, 200))
	if p.raster != first {
		t.Error("a raster that Fyne knows was replaced")
	}
	driver.forgot = true
	p.Resize(fyne.NewSize(200, 100))
	if got := test.WidgetRenderer(p).Objects()[0]; p.raster == first || got != p.raster || got.Size() != fyne.NewSize(200, 100) {
		t.Errorf("after a change of size it shows %v of %v", got, got.Size())
	}
	p.generate(200, 100)
	second := p.raster
	p.SetModel(&chart.Model{Unavailable: "another reason"})
	if p.raster == second || p.raster.Size() != second.Size() {
		t.Error("after a change of the data the old picture stays")
	}
}

func TestAPictureHasWholePixels(t *testing.T) {
	test.NewTempApp(t)
	p := NewPlot(&chart.Model{Unavailable: "no result"})
	w := test.NewTempWindow(t, p)
	for _, c := range []struct {
		scale       float32
		size, drawn fyne.Size
	}{
		{1, fyne.NewSize(300, 200), fyne.NewSize(300, 200)},
		{1, fyne.NewSize(300.7, 200.2), fyne.NewSize(300, 200)},
		{1.25, fyne.NewSize(300.7, 200.2), fyne.NewSize(300, 200)},
		{1.5, fyne.NewSize(300.7, 200.7), fyne.NewSize(300+2/3.0, 200+2/3.0)},
	} {
		p.Resize(c.size)
		w.Canvas().(test.WindowlessCanvas).SetScale(c.scale)
		p.Refresh() // as Fyne does when the scale changes
		if got := p.raster.Size(); got != c.drawn {
			t.Errorf("at a scale of %g a chart of %v has a picture of %v, want %v", c.scale, c.size, got, c.drawn)
		}
	}
}
