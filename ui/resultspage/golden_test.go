package resultspage

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

var states = []string{"empty", "running", "finished", "failed", "baseline", "many"}

func TestGoldens(t *testing.T) {
	for i, state := range states {
		for k, size := range []fyne.Size{uitest.Usual, uitest.Least} {
			look := []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight}[(i+k)%2]
			name := fmt.Sprintf("%s-%s-%.0f", state, look, size.Width)
			t.Run(name, func(t *testing.T) {
				s := open(t, look, size)
				play(t, s, state)
				uitest.Golden(t, name, s.Desk.Window.Canvas().Capture())
			})
		}
	}
}

func TestNothingIsClipped(t *testing.T) {
	for _, size := range []fyne.Size{uitest.Least, uitest.Usual, fyne.NewSize(1600, 900), fyne.NewSize(2484, 1390)} {
		for _, state := range states {
			t.Run(fmt.Sprintf("%s at %.0f", state, size.Width), func(t *testing.T) {
				s := open(t, kit.AlwaysDark, size)
				play(t, s, state)
				uitest.CheckClipping(t, s.View.Object, size)
			})
		}
	}
}
