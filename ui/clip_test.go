package ui

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// visitor is called with every visible object, its place in the window and whether it can be scrolled into view.
type visitor func(o fyne.CanvasObject, at fyne.Position, scrolls bool)

func walk(o fyne.CanvasObject, at fyne.Position, scrolls bool, visit visitor) {
	if !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	visit(o, at, scrolls)
	switch o := o.(type) {
	case *fyne.Container:
		for _, c := range o.Objects {
			walk(c, at, scrolls, visit)
		}
	case fyne.Widget:
		switch o.(type) {
		case *container.Scroll, *widget.Table:
			scrolls = true
		}
		for _, c := range test.WidgetRenderer(o).Objects() {
			walk(c, at, scrolls, visit)
		}
	}
}

// TestNothingIsClipped checks every text of every page and state: it has its room, lies within the window, and is not
// cut short, but for what comes from outside and is told in full elsewhere.
func TestNothingIsClipped(t *testing.T) {
	for _, state := range []string{"empty", "running", "finished", "failed"} {
		for _, size := range []fyne.Size{{Width: 1280, Height: 800}, {Width: 1100, Height: 700}} {
			t.Run(fmt.Sprintf("%s-%.0f", state, size.Width), func(t *testing.T) {
				d, _ := newTestDesk(t, alwaysLight, size.Width, size.Height)
				play(d, state)
				for page := range d.views {
					d.showPage(page)
					for segment := range 2 {
						d.run.showSegment(segment)
						checkClipping(t, d, size)
					}
				}
			})
		}
	}
}

// menuHeight is what the menu bar takes where the system draws none.
const menuHeight = 26

func checkClipping(t *testing.T, d *desk, size fyne.Size) {
	t.Helper()
	if least := d.window.Content().MinSize(); least.Width > size.Width || least.Height+menuHeight > size.Height {
		t.Errorf("the content needs %v, the window has %v", least, size)
	}
	texts := 0
	walk(d.window.Content(), fyne.Position{}, false, func(o fyne.CanvasObject, at fyne.Position, scrolls bool) {
		line, ok := o.(*canvas.Text)
		if !ok || line.Text == "" {
			return
		}
		texts++
		if least := line.MinSize(); least.Width > line.Size().Width+1 || least.Height > line.Size().Height+1 {
			t.Errorf("%q needs %v, has %v", line.Text, least, line.Size())
		}
		if strings.HasSuffix(line.Text, "…") && !endsInDots(line.Text) {
			t.Errorf("%q is cut short", line.Text)
		}
		if end := at.Add(line.MinSize()); !scrolls && (at.X < 0 || at.Y < 0 || end.X > size.Width+1 || end.Y > size.Height+1) {
			t.Errorf("%q lies at %v to %v, outside the window of %v", line.Text, at, end, size)
		}
	})
	if texts < 8 {
		t.Errorf("only %d texts were found: the check looks at the wrong thing", texts)
	}
}

// endsInDots names what ends in dots by itself.
func endsInDots(s string) bool {
	switch s {
	case "Export CSV…", "Browse…", "Starting…", "Stopping…", "Preparing…":
		return true
	}
	return false
}
