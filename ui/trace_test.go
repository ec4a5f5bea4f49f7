package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

func TestTraceCommandIsShownAndCopied(t *testing.T) {
	d, s := newTestDesk(t, alwaysLight, 1280, 800)
	d.model.engines = s.engines
	itemNamed(d.menu, "Help", "Metal System Trace…").Action()
	if text, _ := overlay(d); !strings.Contains(text, "No engine here can be traced") {
		t.Errorf("without Metal it says %q", text)
	}
	d.window.Canvas().Overlays().Remove(d.window.Canvas().Overlays().Top())

	const command = "xcrun xctrace record --attach 42"
	d.model.engines[0].Trace = command
	itemNamed(d.menu, "Help", "Metal System Trace…").Action()
	text, buttons := overlay(d)
	if !strings.Contains(text, command) || buttons["Copy"] == nil {
		t.Fatalf("it shows %q", text)
	}
	test.Tap(buttons["Copy"])
	if got := d.app.Clipboard().Content(); got != command {
		t.Errorf("%q was copied", got)
	}
}

// overlay is what the dialog on top says, and its buttons.
func overlay(d *desk) (said string, buttons map[string]*widget.Button) {
	buttons = map[string]*widget.Button{}
	walk(d.window.Canvas().Overlays().Top(), fyne.Position{}, false, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		switch o := o.(type) {
		case *text:
			said += o.content + "\n"
		case *widget.Button:
			buttons[o.Text] = o
		}
	})
	return said, buttons
}
