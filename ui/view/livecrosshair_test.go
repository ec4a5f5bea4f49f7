package view

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/monitor"
)

// pointable is a grid of charts in a window, drawn once.
func pointable(t *testing.T, g *LiveGrid) fyne.Canvas {
	t.Helper()
	w := test.NewTempWindow(t, g.Object)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(988, 570))
	w.Canvas().Capture()
	return w.Canvas()
}

// middle is the middle of the chart of a card on the canvas.
func middle(v *liveView) fyne.Position {
	o := v.plot.object()
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	return at.AddXY(o.Size().Width/2, o.Size().Height/2)
}

// echoes counts the charts that show the moment of another.
func echoes(g *LiveGrid) (n int, at float64) {
	for _, v := range g.views {
		if m, ok := v.plot.object().(interface{ Echoed() (float64, bool) }).Echoed(); ok {
			n, at = n+1, m
		}
	}
	return n, at
}

func TestCrosshairIsShared(t *testing.T) {
	newApp(t)
	r := &Record{}
	for i := range 60 {
		r.Add(everything(float64(i)))
	}
	for name, g := range map[string]*LiveGrid{"live": NewLiveGrid(r), "replay": NewReplay(r)} {
		t.Run(name, func(t *testing.T) {
			c := pointable(t, g)
			first := g.views[0].plot.object()
			test.MoveMouse(c, middle(g.views[0]))
			moment, ok := first.Moment()
			n, at := echoes(g)
			if !ok || n != len(g.views)-1 || at != moment || at < 10 || at > 50 {
				t.Fatalf("%d of %d charts show %v s, pointed at is %v (%v)", n, len(g.views), at, moment, ok)
			}
			test.MoveMouse(c, fyne.NewPos(1, 1))
			if n, _ := echoes(g); n != 0 {
				t.Errorf("%d charts show it after leaving", n)
			}
			c.Focus(first.(fyne.Focusable))
			first.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
			first.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
			if n, at := echoes(g); n != len(g.views)-1 || at != 58 {
				t.Errorf("the keyboard: %d charts show %v s", n, at)
			}
			c.Unfocus()
			if n, _ := echoes(g); n != 0 {
				t.Errorf("%d charts show it without the keyboard", n)
			}
		})
	}
}

// During a run, any number of moves between two redraws of the window request one.
func TestCrosshairWaitsWhileARunGoesOn(t *testing.T) {
	newApp(t)
	r := &Record{}
	for i := range 60 {
		r.Add(everything(float64(i)))
	}
	g := NewLiveGrid(r)
	var posted []func()
	g.PaceBy(func() bool { return true }, func(f func()) { posted = append(posted, f) })
	c := pointable(t, g)
	at := middle(g.views[0])
	for i := range 40 {
		test.MoveMouse(c, at.AddXY(float32(i), 0))
	}
	if n, _ := echoes(g); n != 0 || len(posted) != 1 {
		t.Fatalf("%d redraws were asked for, %d charts changed before", len(posted), n)
	}
	posted[0]()
	if n, _ := echoes(g); n != len(g.views)-1 {
		t.Errorf("%d charts show it", n)
	}
	if last := g.views[len(g.views)-1]; g.inSight(last) || !last.stale {
		t.Error("a chart out of sight was drawn, or will not be")
	}
	test.MoveMouse(c, at)
	r.Add(everything(60))
	g.Update() // this also draws the crosshair
	moment, _ := g.views[0].plot.object().Moment()
	if _, at := echoes(g); at != moment || len(posted) != 2 {
		t.Errorf("after an update the charts show %v s, pointed at is %v s", at, moment)
	}
}

func TestStatesAreKeptAsSpans(t *testing.T) {
	newApp(t)
	r := &Record{}
	words := []monitor.State{"nominal", "nominal", "fair", "fair", "serious", "", "critical"}
	for i, w := range words {
		s := everything(float64(i))
		for k := range s.Readings {
			if s.Readings[k].Text != "" {
				s.Readings[k].Text = w
				if w == "" {
					s.Readings[k].Status = "failed"
				}
			}
		}
		r.Add(s)
	}
	g := NewLiveGrid(r)
	heat := g.views[8]
	name, list := r.statesSince(&heat.card, 1)
	if heat.card.title != "Heat and throttling" || name != "thermal state" || len(list) != 4 {
		t.Fatalf("%s has %d states: %v", heat.card.title, len(list), list)
	}
	for i, want := range []struct{ from, to, level float64 }{{0, 2, 0}, {2, 4, 1.0 / 3}, {4, 5, 2.0 / 3}} {
		if k := list[i]; k.From != want.from || k.To != want.to || k.Level != want.level {
			t.Errorf("state %d is %+v, want %+v", i, k, want)
		}
	}
}
