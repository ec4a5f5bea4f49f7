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

// Able enables or disables a widget, and redraws only if that changed.
func Able(d fyne.Disableable, on bool) {
	switch {
	case on && d.Disabled():
		d.Enable()
	case !on && !d.Disabled():
		d.Disable()
	}
}

// Trade replaces one of two controls by the other, and moves the focus: if the first was pressed by key, a second press
// reaches the new one.
func Trade(first, second *Button, isSecond bool) {
	hidden, shown := second, first
	if isSecond {
		hidden, shown = first, second
	}
	var c fyne.Canvas
	if app := fyne.CurrentApp(); app != nil {
		c = app.Driver().CanvasForObject(hidden)
	}
	had := c != nil && c.Focused() == hidden
	Show(hidden, false)
	Show(shown, true)
	if had {
		c.Focus(shown)
	}
}
