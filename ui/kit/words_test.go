package kit

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
)

func TestWordsKeepNumbersWithTheirUnits(t *testing.T) {
	for text, want := range map[string][]string{
		"below 90 % in use":             {"below", "90 %", "in", "use"},
		"f32: 187 GFLOP/s, then 5 s.":   {"f32:", "187 GFLOP/s,", "then", "5 s."},
		"(at most 16 MiB) of 3 bins":    {"(at", "most", "16 MiB)", "of", "3", "bins"},
		"kept\u00a0together  and apart": {"kept\u00a0together", "and", "apart"},
		"interval ± 1.5 %, wanted":      {"interval", "± 1.5 %,", "wanted"},
		"12 kB/s 3 GHz 40 °C 2 Bytes":   {"12 kB/s", "3 GHz", "40 °C", "2", "Bytes"},
		"":                              nil,
	} {
		if got := words(text); !slices.Equal(got, want) {
			t.Errorf("%q is broken into %q, want %q", text, got, want)
		}
	}
}

// TestNoLineBreaksBeforeAUnit wraps at every width.
func TestNoLineBreaksBeforeAUnit(t *testing.T) {
	test.NewTempApp(t)
	body := NewBody("The pool reuses 90 % of its buffers at 187 GFLOP/s, in 5 s and 16 MiB.", 20)
	for width := float32(110); width < 500; width += 7 {
		for _, line := range body.wrap(width)[1:] {
			if first, _, _ := strings.Cut(line, " "); isUnit(first) {
				t.Fatalf("at %v a line begins with %q", width, first)
			}
		}
	}
}
