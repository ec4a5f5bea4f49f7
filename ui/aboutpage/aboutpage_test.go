package aboutpage

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func open(t *testing.T, look kit.Appearance) *uitest.Stand {
	t.Helper()
	return uitest.Open(t, desk.Page{Build: New}, look, uitest.Usual)
}

func TestTraceCommandIsShownAndCopied(t *testing.T) {
	s := open(t, kit.AlwaysLight)
	s.Desk.Model.Engines = s.Session.States
	s.View.Update(desk.ChangedEngines)
	if !uitest.Says(s.View.Object, "No engine here can be traced") || !uitest.Button(t, s.View.Object, "Copy Command").Disabled() {
		t.Errorf("without Metal it says %q", uitest.Texts(s.View.Object))
	}
	const command = "xcrun xctrace record --attach 42"
	s.Desk.Model.Engines[0].Trace = command
	s.View.Update(desk.ChangedEngines)
	if !uitest.Says(s.View.Object, command) {
		t.Fatalf("it shows %q", uitest.Texts(s.View.Object))
	}
	test.Tap(uitest.Button(t, s.View.Object, "Copy Command"))
	if got := s.Desk.App.Clipboard().Content(); got != command {
		t.Errorf("%q was copied", got)
	}
}

func TestEnginesAreToldWithTheirDevicesAndReasons(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	if !uitest.Says(s.View.Object, "Looking for engines") {
		t.Errorf("before they were found it says %q", uitest.Texts(s.View.Object))
	}
	uitest.Play(s.Desk, "empty")
	for _, want := range []string{"Version 1.2.3", "Test CPU, 8 cores, AVX-512", "Not available", "needs macOS", "fyne.io/fyne"} {
		if !uitest.Says(s.View.Object, want) {
			t.Errorf("nothing says %q: %q", want, uitest.Texts(s.View.Object))
		}
	}
	uitest.CheckClipping(t, s.View.Object, uitest.Usual)
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	for _, look := range []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight} {
		s := open(t, look)
		uitest.Play(s.Desk, "empty")
		uitest.Golden(t, "about-"+string(look), s.Desk.Window.Canvas())
		if look == kit.AlwaysDark {
			uitest.Picture(t, "look", s.Desk.Window.Canvas())
		}
	}
}
