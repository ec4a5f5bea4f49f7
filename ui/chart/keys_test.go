package chart

import (
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"assay/internal/chart"
)

// The arrows skip series without points.
func TestArrowsPassOverEmptySeries(t *testing.T) {
	test.NewTempApp(t)
	full := chart.Series{X: []float64{1, 2, 3, 4}, Y: []float64{1, 2, 3, 4}}
	p := NewPlot(&chart.Model{Series: []chart.Series{full, {}, {Y: []float64{7}}}})
	key := func(name fyne.KeyName) { p.TypedKey(&fyne.KeyEvent{Name: name}) }
	for range 4 {
		key(fyne.KeyRight)
	}
	if key(fyne.KeyDown); p.hover.Series != 2 || p.hover.Point != 0 {
		t.Errorf("down from the first comes to point %d of series %d, want the only one of the third", p.hover.Point, p.hover.Series)
	}
	if key(fyne.KeyUp); p.hover.Series != 0 {
		t.Errorf("up again comes to series %d", p.hover.Series)
	}
	p.SetModel(&chart.Model{Series: []chart.Series{{}, {Y: []float64{math.NaN()}}}})
	for _, name := range []fyne.KeyName{fyne.KeyRight, fyne.KeyDown, fyne.KeyUp, fyne.KeyEnd, fyne.KeyHome} {
		key(name)
	}
	if p.hover.Series != 1 {
		t.Errorf("the only series with a point is 1, selected is %d", p.hover.Series)
	}
	p.SetModel(&chart.Model{Series: []chart.Series{{}}})
	p.hover = chart.Hover{On: true, Held: true, Point: 3}
	key(fyne.KeyLeft)
}

// Keys that a chart does not use go to the window, even while the chart has the focus.
func TestOtherKeysGoToTheWindow(t *testing.T) {
	test.NewTempApp(t)
	p := NewPlot(&chart.Model{Series: []chart.Series{{Y: []float64{1, 2}}}})
	w := test.NewTempWindow(t, p)
	var got []fyne.KeyName
	w.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) { got = append(got, e.Name) })
	w.Canvas().Focus(p)
	for _, name := range []fyne.KeyName{fyne.KeySpace, fyne.KeyRight, fyne.KeyPageDown} {
		p.TypedKey(&fyne.KeyEvent{Name: name})
	}
	if len(got) != 2 || got[0] != fyne.KeySpace || got[1] != fyne.KeyPageDown {
		t.Errorf("the window got %v", got)
	}
}

// During a measurement any number of pointer moves request one redraw.
func TestPointerWaitsWhileMeasured(t *testing.T) {
	test.NewTempApp(t)
	p := NewPlot(&chart.Model{Series: []chart.Series{{Y: []float64{1, 2}}}})
	busy, posted := true, []func(){}
	p.PaceBy(func() bool { return busy }, func(f func()) { posted = append(posted, f) })
	move := func(x float32) {
		p.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(x, 20)}})
	}
	for i := range 50 {
		move(float32(i))
	}
	if len(posted) != 1 {
		t.Fatalf("%d redraws were asked for", len(posted))
	}
	posted[0]()
	if move(3); len(posted) != 2 || p.pointer.X != 3 {
		t.Errorf("after a redraw the next move asks for none: %d", len(posted))
	}
	busy = false
	if move(4); len(posted) != 2 {
		t.Error("it waits although nothing is measured")
	}
}

func TestArrowKeysMoveTheCrosshair(t *testing.T) {
	test.NewTempApp(t)
	l := NewLive(chart.LiveConfig{Series: []string{"a"}})
	for i := range 10 {
		_ = l.Append(float64(i), float64(i))
	}
	w := test.NewTempWindow(t, l)
	w.Canvas().Focus(l)
	for _, c := range []struct {
		key  fyne.KeyName
		want float64
	}{{fyne.KeyLeft, 9}, {fyne.KeyLeft, 8}, {fyne.KeyLeft, 7}, {fyne.KeyRight, 8}, {fyne.KeyHome, 0}, {fyne.KeyLeft, 0}, {fyne.KeyEnd, 9}, {fyne.KeyRight, 9}} {
		l.TypedKey(&fyne.KeyEvent{Name: c.key})
		if !l.hover.On || l.hover.At != c.want {
			t.Errorf("%s: crosshair at %g, want %g", c.key, l.hover.At, c.want)
		}
	}
	l.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if l.hover.On || w.Canvas().Focused() != nil {
		t.Error("Escape does not leave the chart")
	}
	xs := []float64{64, 128, 256, 512, 1024, 2048, 4096, 8192}
	m := chart.Model{Series: []chart.Series{
		{X: xs, Y: []float64{1, math.NaN(), 3, 4, 5, 6, 7, 8}, ShowMarkers: true},
		{X: xs, Y: []float64{2, 3, 4, 5, 6, 7, 8, 9}, ShowMarkers: true},
	}}
	p := NewPlot(&m)
	for _, c := range []struct {
		key           fyne.KeyName
		series, point int
	}{{fyne.KeyRight, 0, 0}, {fyne.KeyRight, 0, 2}, {fyne.KeyDown, 1, 2}, {fyne.KeyLeft, 1, 1}, {fyne.KeyEnd, 1, 7}, {fyne.KeyRight, 1, 7}} {
		p.TypedKey(&fyne.KeyEvent{Name: c.key})
		if p.hover.Series != c.series || p.hover.Point != c.point {
			t.Errorf("%s: at %d, %d, want %d, %d", c.key, p.hover.Series, p.hover.Point, c.series, c.point)
		}
	}
}
