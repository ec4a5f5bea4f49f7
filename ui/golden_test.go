package ui

import (
	"fmt"
	"testing"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestGoldens compares the window with pictures that a person has looked at: every state in both appearances and at both
// sizes.
func TestGoldens(t *testing.T) {
	for _, l := range []struct {
		state         string
		look          kit.Appearance
		width, height float32
	}{
		{"empty", kit.AlwaysLight, 1280, 800},
		{"empty", kit.AlwaysDark, 1100, 700},
		{"running", kit.AlwaysDark, 1280, 800},
		{"running", kit.AlwaysLight, 1100, 700},
		{"finished", kit.AlwaysLight, 1280, 800},
		{"finished", kit.AlwaysDark, 1100, 700},
		{"failed", kit.AlwaysDark, 1280, 800},
		{"failed", kit.AlwaysLight, 1100, 700},
	} {
		name := fmt.Sprintf("%s-%s-%.0f", l.state, l.look, l.width)
		t.Run(name, func(t *testing.T) {
			d, _ := newTestWindow(t, l.look, l.width, l.height)
			uitest.Play(d.Desk, l.state)
			uitest.Golden(t, name, d.Window.Canvas().Capture())
		})
	}
}
