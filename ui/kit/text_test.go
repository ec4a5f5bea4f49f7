package kit

import (
	"testing"

	"fyne.io/fyne/v2/test"
)

func TestTextWrapsAndCuts(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	words := NewBody("one two three four five six seven", 2)
	for _, width := range []float32{60, 90, 200, 1000} {
		lines := words.wrap(width)
		if len(lines) > 2 {
			t.Errorf("at %v: %d lines", width, len(lines))
		}
		for _, line := range lines {
			if got := words.measure(line).Width; got > width+1 {
				t.Errorf("at %v: %q is %v wide", width, line, got)
			}
		}
	}
	if got := words.wrap(1000); len(got) != 1 || got[0] != words.Content {
		t.Errorf("with room: %q", got)
	}
}
