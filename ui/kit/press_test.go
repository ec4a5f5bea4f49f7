package kit

import (
	"fmt"
	"net/url"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// TestReturnPresses presses Return on each control that Fyne lets only Space press.
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
