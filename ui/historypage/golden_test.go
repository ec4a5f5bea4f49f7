package historypage

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

var states = []string{"empty", "several", "damaged", "deleted"}

// play opens the page in a state.
func play(t testing.TB, state string, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	if state == "empty" {
		return open(t, look, size, none)
	}
	s := open(t, look, size, several)
	s.list.Choose(1)
	switch state {
	case "damaged":
		s.list.Choose(s.list.Rows() - 1)
	case "deleted":
		s.chosen.remove()
	}
	s.settle()
	return s
}

func TestGoldens(t *testing.T) {
	for i, state := range states {
		for k, size := range []fyne.Size{uitest.Usual, uitest.Least} {
			look := []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight}[(i+k)%2]
			name := fmt.Sprintf("%s-%s-%.0f", state, look, size.Width)
			t.Run(name, func(t *testing.T) {
				s := play(t, state, look, size)
				uitest.Golden(t, name, s.Desk.Window.Canvas().Capture())
			})
		}
	}
}

func TestNothingIsClipped(t *testing.T) {
	for _, size := range []fyne.Size{uitest.Least, uitest.Usual, fyne.NewSize(1600, 900), fyne.NewSize(2484, 1390)} {
		for _, state := range states {
			t.Run(fmt.Sprintf("%s at %.0f", state, size.Width), func(t *testing.T) {
				s := play(t, state, kit.AlwaysDark, size)
				uitest.CheckClipping(t, s.View.Object, size)
			})
		}
	}
}
