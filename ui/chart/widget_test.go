package chart

import (
	"bytes"
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"assay/internal/chart"
)

func TestWidgetsReuseTheirImageAndShowHover(t *testing.T) {
	test.NewTempApp(t)
	m := chart.Model{
		X: chart.Axis{Scale: chart.Category, Categories: []string{"Add", "GELU", "Softmax"}}, Y: chart.Axis{Unit: chart.Seconds},
		Series: []chart.Series{{Name: "unfused", Kind: chart.BarKind, Y: []float64{41e-6, 80e-6, 120e-6}}},
	}
	l := NewLive(chart.LiveConfig{Series: []string{"a"}})
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
