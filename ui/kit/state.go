package kit

import "fyne.io/fyne/v2"

// Show shows or hides an object.
func Show(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// Able enables or disables a widget, and redraws only if that is new.
func Able(d fyne.Disableable, on bool) {
	switch {
	case on && d.Disabled():
		d.Enable()
	case !on && !d.Disabled():
		d.Disable()
	}
}
