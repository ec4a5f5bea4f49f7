package uitest

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// Look is how a page is looked at: in a state, an appearance and a size.
type Look struct {
	State      string
	Appearance kit.Appearance
	Size       fyne.Size
}

// Name is that of the look's picture.
func (l Look) Name() string { return fmt.Sprintf("%s-%s-%.0f", l.State, l.Appearance, l.Size.Width) }

// Looks are every state at those sizes, by turns dark and light.
func Looks(states []string, sizes ...fyne.Size) []Look {
	var list []Look
	for i, state := range states {
		for k, size := range sizes {
			list = append(list, Look{state, []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight}[(i+k)%2], size})
		}
	}
	return list
}

// Goldens compares a page with pictures that a person has looked at; open brings the page to a look.
func Goldens(t *testing.T, looks []Look, open func(t *testing.T, l Look) *Stand) {
	t.Helper()
	for _, l := range looks {
		t.Run(l.Name(), func(t *testing.T) {
			Golden(t, l.Name(), open(t, l).Desk.Window.Canvas().Capture())
		})
	}
}

// NothingClipped checks every state of a page from the least size to that of a large screen. What is in fluid may be cut.
func NothingClipped(t *testing.T, states []string, open func(t *testing.T, l Look) *Stand, fluid ...string) {
	t.Helper()
	for _, size := range []fyne.Size{Least, Usual, fyne.NewSize(1600, 900), fyne.NewSize(2484, 1390)} {
		for _, state := range states {
			t.Run(fmt.Sprintf("%s at %.0f", state, size.Width), func(t *testing.T) {
				s := open(t, Look{state, kit.AlwaysDark, size})
				CheckClipping(t, s.View.Object, size, fluid...)
			})
		}
	}
}
