package chart

import (
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/internal/chart"
)

// stripCells is size classes with every state of a cell.
func stripCells() []chart.StripCell {
	var cells []chart.StripCell
	for i, v := range []float64{0, 6.4e4, 2.1e6, 9.8e6, 6.4e6, 3.1e7, math.NaN(), 1.2e7, 0, 8.4e6} {
		cells = append(cells, chart.StripCell{Label: chart.BinaryBytes.Format(float64(int(4096) << i)), Value: v, Note: "3 buffers, 91% reused"})
	}
	return cells
}

func TestStripChoosesByMouseAndKeys(t *testing.T) {
	test.NewTempApp(t)
	var chosen []int
	s := NewStrip(chart.StripConfig{Title: "Held", Unit: chart.Bytes})
	s.OnChosen = func(i int) { chosen = append(chosen, i) }
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
