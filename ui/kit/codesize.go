package kit

import (
	"math"

	"fyne.io/fyne/v2"
)

// CodeSize returns the size of monospaced letters next to text of a given size, up to a point larger, that shows most of the
// descenders. Fyne draws the line at a whole pixel and rounds the height to whole pixels: at many sizes it cuts off the row that
// contains an underscore.
func CodeSize(text float32) float32 {
	driver, style := fyne.CurrentApp().Driver(), fyne.TextStyle{Monospace: true}
	const large = 100 // where rounding does not matter
	bounds, line := driver.RenderedTextSize("_", large, style, nil)
	hangs := (bounds.Height - line) / large
	best, most := text, float32(-large)
	for i := range 10 {
		size := text + float32(i)/10
		bounds, line := driver.RenderedTextSize("_", size, style, nil)
		if room := min(0, float32(math.Round(float64(bounds.Height)))-ceil(line)-hangs*size); room > most+0.05 {
			best, most = size, room
		}
	}
	return best
}
