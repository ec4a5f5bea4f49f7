package memorypage

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestPictures(t *testing.T) {
	for i, state := range states() {
		for k, size := range []fyne.Size{uitest.Least, uitest.Usual} {
			look := []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight}[(i+k)%2]
			name := fmt.Sprintf("%s-%s-%.0f", state, look, size.Width)
			t.Run(name, func(t *testing.T) {
				s := stand(t, look, size)
				play(t, s, state)
				uitest.Golden(t, name, s.Desk.Window.Canvas().Capture())
			})
		}
	}
}

// With the largest text columns give way: the page asks for no more than the window's usual size.
func TestLargestTextFits(t *testing.T) {
	for _, state := range []string{"running", "many", "checked", "warming"} {
		b := stand(t, kit.AlwaysLight, uitest.Usual)
		b.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, kit.MostTextSize))
		play(t, b, state)
		if least := b.View.Object.MinSize(); least.Width > uitest.Usual.Width || least.Height > uitest.Usual.Height {
			t.Errorf("%s needs %v, the window has %v", state, least, uitest.Usual)
		}
	}
}

func TestNothingIsClipped(t *testing.T) {
	for _, size := range []fyne.Size{uitest.Least, uitest.Usual, fyne.NewSize(1600, 900), fyne.NewSize(2484, 1390)} {
		for _, state := range states() {
			t.Run(fmt.Sprintf("%s at %.0f", state, size.Width), func(t *testing.T) {
				s := stand(t, kit.AlwaysDark, size)
				play(t, s, state)
				uitest.CheckClipping(t, s.View.Object, size, "Stopping…")
			})
		}
	}
}
