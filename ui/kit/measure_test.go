package kit

import (
	"strconv"
	"testing"

	"fyne.io/fyne/v2"
)

// Sizes that are asked for again and again are measured once, however many others come; the number kept is bounded.
func TestSizesAreKept(t *testing.T) {
	var s sizes
	times := map[string]int{}
	ask := func(text string) fyne.Size {
		return s.of(measuredText{text: text}, func() fyne.Size {
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
