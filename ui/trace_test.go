package ui

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestTraceCommandIsShownAndCopied(t *testing.T) {
	d, s := newTestWindow(t, kit.AlwaysLight, 1280, 800)
	d.Model.Engines = s.States
	itemNamed(d.menu, "Help", "Metal System Trace…").Action()
	if top := d.Window.Canvas().Overlays().Top(); !uitest.Says(top, "No engine here can be traced") {
		t.Errorf("without Metal it says %q", uitest.Texts(top))
	}
	d.Window.Canvas().Overlays().Remove(d.Window.Canvas().Overlays().Top())

	const command = "xcrun xctrace record --attach 42"
	d.Model.Engines[0].Trace = command
	itemNamed(d.menu, "Help", "Metal System Trace…").Action()
	top := d.Window.Canvas().Overlays().Top()
	if !uitest.Says(top, command) {
		t.Fatalf("it shows %q", uitest.Texts(top))
	}
	test.Tap(uitest.Button(t, top, "Copy"))
	if got := d.App.Clipboard().Content(); got != command {
		t.Errorf("%q was copied", got)
	}
}
