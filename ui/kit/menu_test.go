package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

func TestShortcutsInMenusAreReadable(t *testing.T) {
	for _, a := range []Appearance{AlwaysLight, AlwaysDark} {
		test.NewTempApp(t).Settings().SetTheme(NewLook(a))
		item := fyne.NewMenuItem("Run", func() {})
		item.Shortcut = &desktop.CustomShortcut{KeyName: fyne.KeyR, Modifier: fyne.KeyModifierControl}
		menu := widget.NewMenu(fyne.NewMenu("Run", item))
		w := test.NewTempWindow(t, menu)
		w.Resize(fyne.NewSize(300, 100))
		if got := inkOf(menu, "R"); got < 0xF000 {
			t.Errorf("%v: the alpha of a shortcut is %#x", a, got)
		}
	}
}

// inkOf returns the alpha of a text in a widget; 0 if there is no such text.
func inkOf(o fyne.CanvasObject, words string) uint32 {
	switch o := o.(type) {
	case *canvas.Text:
		if o.Text == words {
			_, _, _, a := o.Color.RGBA()
			return a
		}
	case *fyne.Container:
		for _, c := range o.Objects {
			if a := inkOf(c, words); a > 0 {
				return a
			}
		}
	case fyne.Widget:
		for _, c := range test.WidgetRenderer(o).Objects() {
			if a := inkOf(c, words); a > 0 {
				return a
			}
		}
	}
	return 0
}
