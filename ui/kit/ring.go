package kit

import (
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
)

// NewRing is the focus ring. It is hidden until ShowRing shows it.
func NewRing(radius float32) *canvas.Rectangle {
	ring := canvas.NewRectangle(nil)
	ring.CornerRadius = radius
	return ring
}

// ShowRing shows or hides the ring.
func ShowRing(ring *canvas.Rectangle, focused bool) {
	ring.StrokeWidth = 0
	if focused {
		ring.StrokeColor, ring.StrokeWidth = theme.Color(theme.ColorNamePrimary), 1.5
	}
	ring.Refresh()
}
