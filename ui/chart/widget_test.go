package chart

import (
	"bytes"
	"image"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
)

func TestLiveKeepsTheNewestSamples(t *testing.T) {
	test.NewTempApp(t)
	l := NewLive(LiveConfig{Series: []string{"a"}, Capacity: 3, Window: 2})
	for i := range 20 {
		if err := l.Append(float64(i), float64(10*i)); err != nil {
			t.Fatal(err)
		}
	}
	s := &l.m.Series[0]
	if s.Len() != 3 || s.X[0] != 17 || s.Y[2] != 190 || l.Last(0) != 190 {
		t.Errorf("kept X %v Y %v", s.X, s.Y)
	}
	l.Clear()
	if !math.IsNaN(l.Last(0)) || s.Len() != 0 {
		t.Error("Clear kept samples")
	}
}

func TestLiveRejectsBadSamples(t *testing.T) {
	test.NewTempApp(t)
	l := NewLive(LiveConfig{Series: []string{"a"}})
	if l.Append(5, 1) != nil {
		t.Fatal("good sample refused")
	}
	for _, err := range []error{l.Append(6), l.Append(4, 1), l.Append(math.NaN(), 1)} {
		if err == nil {
			t.Error("bad sample accepted")
		}
	}
}

func TestLiveAppendDoesNotAllocate(t *testing.T) {
	test.NewTempApp(t)
	l := NewLive(LiveConfig{Series: []string{"a", "b"}, Y: Axis{Unit: "B/s"}, Capacity: 50})
	now, vs := 0.0, []float64{1.5e9, 2.25e9}
	if n := testing.AllocsPerRun(200, func() { now++; _ = l.Append(now, vs...) }); n != 0 {
		t.Errorf("%v allocations per sample", n)
	}
}

func TestWidgetsReuseTheirImageAndShowHover(t *testing.T) {
	test.NewTempApp(t)
	m := barsModel()
	l := NewLive(LiveConfig{Series: []string{"a"}})
	for i := range 50 {
		if err := l.Append(float64(i), float64(i%7)); err != nil {
			t.Fatal(err)
		}
	}
	p := NewPlot(&m)
	for name, s := range map[string]*surface{"live": &l.surface, "plot": &p.surface} {
		s.self.Resize(fyne.NewSize(400, 200))
		first := s.generate(800, 400).(*image.RGBA)
		before := bytes.Clone(first.Pix)
		s.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(200, 150)}})
		second := s.generate(800, 400).(*image.RGBA)
		if first != second {
			t.Errorf("%s: a new image for the same size", name)
		}
		if bytes.Equal(before, second.Pix) {
			t.Errorf("%s: the pointer shows nothing", name)
		}
		s.MouseOut()
		if s.generate(800, 400); !bytes.Equal(before, second.Pix) {
			t.Errorf("%s: the pointer left a trace", name)
		}
	}
	l.SetUnavailable("no sensor")
	if before := bytes.Clone(l.img.Pix); bytes.Equal(before, l.generate(800, 400).(*image.RGBA).Pix) {
		t.Error("an unavailable chart looks like an available one")
	}
}
