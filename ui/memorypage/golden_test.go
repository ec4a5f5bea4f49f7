package memorypage

import (
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// look opens the page in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := stand(t, l.Appearance, l.Size)
	play(t, s, l.State)
	return s.Stand
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states(), uitest.Smallest, uitest.Usual), look)
}

// With the largest text, columns shrink: the page's minimum is at most the window's default size.
func TestLargestTextFits(t *testing.T) {
	uitest.Pictures(t)
	for _, state := range []string{"running", "many", "checked", "warming"} {
		b := stand(t, kit.AlwaysLight, uitest.Usual)
		b.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, kit.MaxTextSize))
		play(t, b, state)
		if minSize := b.View.Object.MinSize(); minSize.Width > uitest.Usual.Width || minSize.Height > uitest.Usual.Height {
			t.Errorf("%s needs %v, the window has %v", state, minSize, uitest.Usual)
		}
	}
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "running", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states(), look, "Stopping…")
}
