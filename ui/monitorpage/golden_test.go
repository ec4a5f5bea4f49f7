package monitorpage

import (
	"testing"

	"assay/ui/uitest"
)

var states = []string{"empty", "unavailable", "running", "paused", "finished"}

// look opens the page in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := stand(t, l.Appearance, l.Size)
	play(t, s, l.State)
	return s
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}
