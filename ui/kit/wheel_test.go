package kit

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

// wheeled returns an entry in a page that is taller than its window, and a function that turns the wheel over it.
func wheeled(t *testing.T, e *Entry) (page *container.Scroll, turn func(dx, dy float32)) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysLight))
	page = container.NewVScroll(container.NewVBox(e, container.New(FixedSize{Height: 900}, NewBody("", 1))))
	w := test.NewTempWindow(t, page)
	w.Resize(fyne.NewSize(200, 300))
	over := fyne.CurrentApp().Driver().AbsolutePositionForObject(e).AddXY(20, e.Size().Height/2)
	return page, func(dx, dy float32) { test.Scroll(w.Canvas(), over, dx, dy) }
}

// text returns the scroll in which Fyne keeps the text of an entry.
func text(e *Entry) *container.Scroll {
	return test.WidgetRenderer(e).Objects()[2].(*container.Scroll)
}

func TestWheelOverAFieldMovesThePage(t *testing.T) {
	e := NewEntry()
	e.SetText(strings.Repeat("longer than the field ", 20))
	page, turn := wheeled(t, e)
	turn(0, -40)
	if page.Offset.Y != 40 || text(e).Offset.X != 0 {
		t.Errorf("the page moved by %g, the text by %g", page.Offset.Y, text(e).Offset.X)
	}
}

func TestWheelSidewaysMovesLongText(t *testing.T) {
	e := NewEntry()
	e.SetText(strings.Repeat("longer than the field ", 20))
	page, turn := wheeled(t, e)
	if turn(-30, 0); page.Offset.Y != 0 || text(e).Offset.X != 30 {
		t.Errorf("the page moved by %g, the text by %g", page.Offset.Y, text(e).Offset.X)
	}
}

// The lines of a field move first; at their end, the page does.
func TestWheelOverLines(t *testing.T) {
	e := NewLinesEntry()
	e.SetText(strings.Repeat("a line\n", 30))
	page, turn := wheeled(t, e)
	if turn(0, -30); page.Offset.Y != 0 || text(e).Offset.Y != 30 {
		t.Errorf("the page moved by %g, the lines by %g", page.Offset.Y, text(e).Offset.Y)
	}
	turn(0, -9999)
	if turn(0, -40); page.Offset.Y != 40 {
		t.Errorf("beyond the last line the page moved by %g", page.Offset.Y)
	}
}

// A long line in a field of several lines that fit stays in place while the page scrolls back and forth.
func TestWheelOverOneLongLine(t *testing.T) {
	e := NewLinesEntry()
	e.SetText(strings.Repeat("longer than the field ", 20))
	page, turn := wheeled(t, e)
	for _, by := range []float32{-30, -30, 30} {
		turn(0, by)
	}
	if page.Offset.Y != 30 || text(e).Offset.X != 0 {
		t.Errorf("the page moved by %g, the line by %g", page.Offset.Y, text(e).Offset.X)
	}
	if turn(-30, 0); page.Offset.Y != 30 || text(e).Offset.X != 30 {
		t.Errorf("sideways the page moved by %g, the line by %g", page.Offset.Y-30, text(e).Offset.X)
	}
}
