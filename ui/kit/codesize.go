package kit

import (
	"math"

	"fyne.io/fyne/v2"
)

// CodeSize is the size of letters of one width beside text of a size, up to a point larger, that shows the most of what hangs
// below the line. Fyne draws the line at a whole pixel and cuts the height to whole pixels: of many sizes it cuts off the row in
// which an underscore is.
func CodeSize(text float32) float32 {
	driver, style := fyne.CurrentApp().Driver(), fyne.TextStyle{Monospace: true}
	const large = 100 // at which rounding does not matter
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
