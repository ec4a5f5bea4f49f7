package ui

import (
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestGoldens compares the window with texts that a person has read: every state in both appearances and at both
// sizes.
func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	usual, least := fyne.NewSize(1280, 800), fyne.NewSize(1100, 700)
	looks := []uitest.Look{
		{State: "empty", Appearance: kit.AlwaysLight, Size: usual},
		{State: "empty", Appearance: kit.AlwaysDark, Size: least},
		{State: "running", Appearance: kit.AlwaysDark, Size: usual},
		{State: "running", Appearance: kit.AlwaysLight, Size: least},
		{State: "finished", Appearance: kit.AlwaysLight, Size: usual},
		{State: "finished", Appearance: kit.AlwaysDark, Size: least},
		{State: "failed", Appearance: kit.AlwaysDark, Size: usual},
		{State: "failed", Appearance: kit.AlwaysLight, Size: least},
	}
	uitest.Goldens(t, looks, look)
}

// TestLook compares the window in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "failed", Appearance: kit.AlwaysLight, Size: fyne.NewSize(1100, 700)}, look)
}

// look opens the window in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	d, session := newTestWindow(t, l.Appearance, l.Size.Width, l.Size.Height)
	uitest.Play(d.Desk, l.State)
	return &uitest.Stand{Desk: d.Desk, Session: session}
}
