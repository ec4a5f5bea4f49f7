package kit

import (
	"sync"

	"fyne.io/fyne/v2"
)

// maxMeasured is the number of texts whose sizes are kept; a window has about a thousand.
const maxMeasured = 8192

// measured has the sizes of texts. Fyne drops its own with each change of the look and after a minute, although no font
// changes then, and shaping a text takes a third of a millisecond.
var measured = struct {
	sync.Mutex
	sizes map[measuredText]fyne.Size
}{sizes: map[measuredText]fyne.Size{}}

type measuredText struct {
	text, font string
	size       float32
	style      fyne.TextStyle
}

// measureText is the size of a text on one line.
func measureText(text string, size float32, style fyne.TextStyle) fyne.Size {
	key := measuredText{text, fyne.CurrentApp().Settings().Theme().Font(style).Name(), size, style}
	measured.Lock()
	defer measured.Unlock()
	if s, known := measured.sizes[key]; known {
		return s
	}
	if len(measured.sizes) >= maxMeasured {
		clear(measured.sizes)
	}
	s := fyne.MeasureText(text, size, style)
	measured.sizes[key] = s
	return s
}
