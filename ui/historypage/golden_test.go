package historypage

import (
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
	s.weigh()
	return s
}

// weigh gives each listed run a different size, independent of what results contain.
func (s *stand) weigh() {
	runs := s.Desk.Model.Runs.List
	for i := range runs {
		runs[i].Size = int64(93_000 + 700*i)
	}
	s.refill()
}

// look opens the page in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	return play(t, l.State, l.Appearance, l.Size).Stand
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "several", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}
