package kit

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// TestMeasuredTextsAreAsFyneMeasures compares what is kept with Fyne's own, in looks with different fonts, beyond the
// number of texts that are kept.
func TestMeasuredTextsAreAsFyneMeasures(t *testing.T) {
	a := test.NewTempApp(t) // with the font of Fyne's tests
	for _, look := range []fyne.Theme{a.Settings().Theme(), NewLook(AlwaysDark)} {
		test.ApplyTheme(t, look)
		for range 2 {
			for _, style := range []fyne.TextStyle{{}, {Bold: true}, {Monospace: true}} {
				for _, size := range []float32{12, 14.5} {
					for _, text := range []string{"", "Batching", "0.5 % of 16 GB"} {
						if got, want := measureText(text, size, style), fyne.MeasureText(text, size, style); got != want {
							t.Errorf("%q of %v, %+v: %v, want %v", text, size, style, got, want)
						}
					}
				}
			}
		}
	}
	for i := range maxMeasured {
		measured.sizes[measuredText{text: fmt.Sprint("filler ", i)}] = fyne.Size{}
	}
	measureText("one more", 12, fyne.TextStyle{})
	if n := len(measured.sizes); n != 1 {
		t.Errorf("%d sizes are kept, want 1 after %d", n, maxMeasured)
	}
}
