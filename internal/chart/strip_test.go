package chart

import (
	"image"
	"math"
	"strings"
	"testing"
)

// stripCells are size classes that cover every state of a cell.
func stripCells() []StripCell {
	var cells []StripCell
	for i, v := range []float64{0, 6.4e4, 2.1e6, 9.8e6, 6.4e6, 3.1e7, math.NaN(), 1.2e7, 0, 8.4e6} {
		cells = append(cells, StripCell{Label: BinaryBytes.Format(float64(int(4096) << i)), Value: v, Note: "3 buffers, 91% reused"})
	}
	return cells
}

func TestStripSummary(t *testing.T) {
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
	for _, n := range []int{0, 1, 3, 10, 40, 300} {
		for _, size := range []image.Point{{160, 60}, {240, 40}, {700, 90}, {2400, 200}} {
			s := NewStrip(StripConfig{Title: "Bytes held per size class", Unit: Bytes})
			var cells []StripCell
			for len(cells) < n {
				cells = append(cells, stripCells()...)
			}
			s.SetCells(cells[:n])
			r, log := watch(t)
			img := image.NewRGBA(image.Rectangle{Max: size})
			r.DrawStrip(img, s, LightStyle(), 1, Hover{})
			checkTexts(t, size.String(), img.Rect, *log)
		}
	}
}
