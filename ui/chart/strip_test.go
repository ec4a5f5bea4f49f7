package chart

import (
	"image"
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// stripCells is size classes with every state of a cell.
func stripCells() []StripCell {
	var cells []StripCell
	for i, v := range []float64{0, 6.4e4, 2.1e6, 9.8e6, 6.4e6, 3.1e7, math.NaN(), 1.2e7, 0, 8.4e6} {
		cells = append(cells, StripCell{Label: BinaryBytes.Format(float64(int(4096) << i)), Value: v, Note: "3 buffers, 91% reused"})
	}
	return cells
}

func TestStripChoosesByMouseAndKeys(t *testing.T) {
	test.NewTempApp(t)
	var chosen []int
	s := NewStrip(StripConfig{Title: "Held", Unit: Bytes, Chosen: func(i int) { chosen = append(chosen, i) }})
	s.SetCells(stripCells())
	w := test.NewTempWindow(t, s)
	w.Resize(fyne.NewSize(500, 100))
	s.Resize(fyne.NewSize(500, 100))
	s.generate(500, 100)
	s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(8+484*0.35, 50)})
	for _, k := range []fyne.KeyName{fyne.KeyRight, fyne.KeySpace, fyne.KeyEnd, fyne.KeyRight, fyne.KeyReturn, fyne.KeyHome, fyne.KeyEnter} {
		s.TypedKey(&fyne.KeyEvent{Name: k})
	}
	if len(chosen) != 4 || chosen[0] != 3 || chosen[1] != 4 || chosen[2] != 9 || chosen[3] != 0 {
		t.Errorf("chose cells %v, want 3, 4, 9, 0", chosen)
	}
	s.Tapped(&fyne.PointEvent{Position: fyne.NewPos(200, 2)})
	if len(chosen) != 4 {
		t.Error("a click on the title chose a cell")
	}
	s.SetCells(stripCells()[:1])
	if s.Selected() != 0 {
		t.Errorf("selected %d of one cell", s.Selected())
	}
}

func TestStripSummary(t *testing.T) {
	test.NewTempApp(t)
	s := NewStrip(StripConfig{Title: "Held", Unit: Bytes})
	if got := s.Summary(); got != "No data yet." {
		t.Errorf("empty strip says %q", got)
	}
	s.SetCells(stripCells())
	for _, want := range []string{"10 cells", "16 KiB: 2.10 MB", "256 KiB: no reading"} {
		if got := s.Summary(); !strings.Contains(got, want) {
			t.Errorf("summary %q lacks %q", got, want)
		}
	}
	s.SetUnavailable("this engine has no pool")
	if got := s.Summary(); got != "Not available: this engine has no pool." {
		t.Errorf("unavailable strip says %q", got)
	}
}

func TestStripTextNeitherMeetsNorLeaves(t *testing.T) {
	test.NewTempApp(t)
	for _, n := range []int{0, 1, 3, 10, 40, 300} {
		for _, size := range []image.Point{{160, 60}, {240, 40}, {700, 90}, {2400, 200}} {
			s := NewStrip(StripConfig{Title: "Bytes held per size class", Unit: Bytes})
			var cells []StripCell
			for len(cells) < n {
				cells = append(cells, stripCells()...)
			}
			s.SetCells(cells[:n])
			s.ready()
			var seen []text
			s.renderer, _ = newTestRenderer(t), seen
			r, log := watch(t)
			s.renderer = r
			img := image.NewRGBA(image.Rectangle{Max: size})
			s.draw(img, LightStyle(), 1)
			checkTexts(t, size.String(), img.Rect, *log)
		}
	}
}
