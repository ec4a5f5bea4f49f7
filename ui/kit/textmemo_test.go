package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// TestTextFollowsWordsSizeAndStyle compares a text with cached measurements with a fresh one.
func TestTextFollowsWordsSizeAndStyle(t *testing.T) {
	test.NewTempApp(t)
	words := "Cached: kept for reuse. Stranded: in sizes that nothing requests. Good: little stranded."
	old := NewCaption(words, 4)
	check := func(when string) {
		t.Helper()
		fresh := NewCaption(old.Content, old.lines)
		fresh.Style = old.Style
		for _, width := range []float32{90, 200, 300, 400, 90} {
			got, want := strings.Join(old.wrap(width), "|"), strings.Join(fresh.wrapAgain(width), "|")
			if got != want || old.HeightFor(width) != fresh.HeightFor(width) {
				t.Errorf("%s, %v wide: %q, want %q", when, width, got, want)
			}
		}
		if old.whole() != fresh.measure(old.Content).Width {
			t.Errorf("%s: %v wide, want %v", when, old.whole(), fresh.measure(old.Content).Width)
		}
	}
	for _, a := range []Appearance{AlwaysDark, AlwaysLight} {
		for _, percent := range []int{100, 160} {
			test.ApplyTheme(t, NewSizedLook(a, percent))
			check("another look")
		}
	}
	old.Content = "Words of another kind"
	check("other words")
	old.Lines(1)
	check("one line")
	old.Style = fyne.TextStyle{Bold: true}
	check("bold")
}

// BenchmarkLook lays out a page of texts after a change of the look, which clears Fyne's measurements.
func BenchmarkLook(b *testing.B) {
	a := test.NewTempApp(b)
	var texts []*Text
	for range 100 {
		texts = append(texts, NewCaption("What the run holds on the device. Good: back to the same floor after each case.", 3))
	}
	for i := 0; b.Loop(); i++ {
		a.Settings().SetTheme(NewLook([]Appearance{AlwaysDark, AlwaysLight}[i%2]))
		for _, t := range texts {
			t.HeightFor(200)
		}
	}
}
