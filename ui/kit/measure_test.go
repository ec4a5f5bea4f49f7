package kit

import (
	"strconv"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// TestMeasuredTextsAreAsFyneMeasures compares cached sizes with Fyne's own, in looks with different fonts.
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
}

// Sizes that are requested repeatedly are measured once, however many others come; the number kept is bounded.
func TestSizesAreKept(t *testing.T) {
	var s sizes
	times := map[string]int{}
	ask := func(text string) fyne.Size {
		return s.of(measuredText{text: hashOf(text)}, func() fyne.Size {
			times[text]++
			return fyne.NewSize(float32(len(text)), 1)
		})
	}
	for i := range 10 * maxMeasured {
		if got := ask("title"); got.Width != 5 {
			t.Fatalf("the size is %v", got)
		}
		ask(strconv.Itoa(i))
	}
	if times["title"] != 1 {
		t.Errorf("measured %d times, want once", times["title"])
	}
	if kept := len(s.recent) + len(s.older); kept > 2*maxMeasured {
		t.Errorf("%d sizes are kept, want %d at most", kept, 2*maxMeasured)
	}
	if ask("0"); times["0"] != 2 {
		t.Errorf("what was not asked for was measured %d times, want twice", times["0"])
	}
}
