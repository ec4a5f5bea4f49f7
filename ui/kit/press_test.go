package kit

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// TestReturnPresses presses Return on each control that responds only to Space in Fyne.
func TestReturnPresses(t *testing.T) {
	test.NewTempApp(t)
	test.ApplyTheme(t, NewLook(AlwaysDark))
	pressed := 0
	count := func() { pressed++ }
	button, check := NewButton("Go", count), NewCheck("On", func(bool) { count() })
	link := NewLink("Read", &url.URL{Scheme: "https", Host: "example.org"})
	link.OnTapped = count
	menu := NewSelect([]string{"one", "two"}, nil)
	w := test.NewTempWindow(t, container.NewVBox(button, check, link, menu))
	w.Resize(fyne.NewSize(300, 300))
	for i, f := range []fyne.Focusable{button, check, link} {
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnter})
		if pressed != 2*(i+1) {
			t.Errorf("%T: pressed %d times in all, want %d", f, pressed, 2*(i+1))
		}
	}
	if menu.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}); w.Canvas().Overlays().Top() == nil {
		t.Error("Return does not open the menu")
	}
	button.Disable()
	if button.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}); pressed != 6 {
		t.Error("a button that is off was pressed")
	}
}

func TestEscapeOfAButton(t *testing.T) {
	test.NewTempApp(t)
	left := false
	b := NewButton("Go", func() { t.Error("Escape presses") })
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	b.OnEscape = func() { left = true }
	if b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}); !left {
		t.Error("Escape is not told")
	}
}

// TestAPressByKeyKeepsTheFocus presses a button by key, and one that another button replaces.
func TestAPressByKeyKeepsTheFocus(t *testing.T) {
	test.NewTempApp(t)
	var start, stop *Button
	start = NewButton("Run", func() { Trade(start, stop, true) })
	stop = NewButton("Stop", func() { Trade(start, stop, false) })
	stop.Hide()
	count := 0
	plain := NewButton("Pause", func() { count++ })
	w := test.NewTempWindow(t, container.NewVBox(start, stop, plain))
	for _, k := range []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn} {
		w.Canvas().Focus(plain)
		w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
		if w.Canvas().Focused() != plain {
			t.Errorf("%s took the focus from the button that it pressed", k)
		}
		w.Canvas().Focus(start)
		if w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k}); w.Canvas().Focused() != stop || start.Visible() {
			t.Fatalf("%s on Run: the focus is at %v", k, w.Canvas().Focused())
		}
		if w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k}); w.Canvas().Focused() != start || stop.Visible() {
			t.Fatalf("%s on Stop: the focus is at %v", k, w.Canvas().Focused())
		}
	}
	if count != 2 {
		t.Errorf("pressed %d times, want 2", count)
	}
	w.Canvas().Focus(plain)
	if Trade(start, stop, true); w.Canvas().Focused() != plain {
		t.Error("a trade took the focus from a third control")
	}
}

// TestTabRevealsWhatItReaches tabs down and up a scroll, and a scroll within it.
func TestTabRevealsWhatItReaches(t *testing.T) {
	test.NewTempApp(t)
	test.ApplyTheme(t, NewLook(AlwaysDark))
	var list []fyne.CanvasObject
	for i := range 30 {
		list = append(list, NewButton(fmt.Sprint("Button ", i), nil), NewSwitch(nil), widget.NewLabel("words"))
	}
	scroll := container.NewVScroll(container.NewVBox(list...))
	w := test.NewTempWindow(t, container.NewStack(scroll))
	w.Resize(fyne.NewSize(300, 200))
	for _, i := range []int{0, 87, 45, 1, 88, 3} {
		o := list[i]
		w.Canvas().Focus(o.(fyne.Focusable))
		top := o.Position().Y - scroll.Offset.Y
		if top < 0 || top+o.Size().Height > scroll.Size().Height {
			t.Errorf("control %d lies at %v in a room of %v", i, top, scroll.Size().Height)
		}
	}
	at := scroll.Offset
	w.Canvas().Focus(list[4].(fyne.Focusable))
	if scroll.Offset != at {
		t.Errorf("what is in sight was moved: %v, %v", at, scroll.Offset)
	}
}

func TestAHeldKeyPressesOnce(t *testing.T) {
	test.NewTempApp(t)
	pressed := 0
	b := NewButton("Go", func() { pressed++ })
	key := &fyne.KeyEvent{Name: fyne.KeySpace}
	for range 2 {
		b.KeyDown(key)
		b.TypedKey(key)
		b.TypedKey(key)
		b.KeyUp(key)
	}
	if pressed != 2 {
		t.Errorf("pressed %d times, want twice", pressed)
	}
}

// TestTabLeavesFields checks this for fields of several lines, too.
func TestTabLeavesFields(t *testing.T) {
	test.NewTempApp(t)
	for _, e := range []fyne.Tabbable{NewEntry(), NewLinesEntry()} {
		if e.AcceptsTab() {
			t.Errorf("%+v takes Tab as text", e)
		}
	}
}

// TestReaderScrollsByKey scrolls a text that does not fit with the scrolling keys.
func TestReaderScrollsByKey(t *testing.T) {
	test.NewTempApp(t)
	r := NewReader(NewBody(strings.Repeat("words ", 400), 100))
	w := test.NewTempWindow(t, container.NewGridWrap(fyne.NewSize(200, 100), r))
	w.Resize(fyne.NewSize(300, 200))
	w.Canvas().Focus(r)
	press := func(k fyne.KeyName) float32 {
		w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
		return r.scroll.Offset.Y
	}
	down, page := press(fyne.KeyDown), press(fyne.KeyPageDown)
	if down <= 0 || page <= down || press(fyne.KeyUp) >= page || press(fyne.KeyEnd) <= page || press(fyne.KeyHome) != 0 {
		t.Errorf("scrolled to %v and %v", down, page)
	}
}

// TestClickInANumberSelectsAll clicks into a field: typing then replaces its text.
func TestClickInANumberSelectsAll(t *testing.T) {
	e, other := NewEntry(), NewEntry()
	e.Whole = true
	w := test.NewTempWindow(t, container.NewVBox(e, other))
	w.Resize(fyne.NewSize(200, 100))
	down := func() { e.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary}) }
	e.SetText("5,110")
	down()
	if got := e.SelectedText(); got != e.Text {
		t.Errorf("a click selects %q", got)
	}
	down()
	if got := e.SelectedText(); got != "" {
		t.Errorf("a second click, to place the cursor, selects %q", got)
	}
	e.DoubleTapped(nil)
	if got := e.SelectedText(); got != e.Text {
		t.Errorf("a double click selects %q", got)
	}
	down()
	if got := e.SelectedText(); got != e.Text {
		t.Errorf("a triple click selects %q", got)
	}
	w.Canvas().Focus(other)
	down()
	test.Type(e, "242")
	if e.Text != "242" {
		t.Errorf("typing leaves %q", e.Text)
	}
}
