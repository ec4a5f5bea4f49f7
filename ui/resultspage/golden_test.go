package resultspage

import (
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

var states = []string{"empty", "running", "finished", "failed", "baseline", "many"}

// look opens the page in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := open(t, l.Appearance, l.Size)
	play(t, s, l.State)
	return s.Stand
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "finished", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}
