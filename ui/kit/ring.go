package kit

import (
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
)

// newRing is the ring around what has the focus. It is not drawn until showRing does.
func newRing(radius float32) *canvas.Rectangle {
	ring := canvas.NewRectangle(nil)
	ring.CornerRadius = radius
	return ring
}

// showRing draws the ring, or not.
func showRing(ring *canvas.Rectangle, focused bool) {
	ring.StrokeWidth = 0
	if focused {
		ring.StrokeColor, ring.StrokeWidth = theme.Color(theme.ColorNamePrimary), 1.5
	}
	ring.Refresh()
}
