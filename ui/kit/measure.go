package kit

import (
	"hash/maphash"
	"sync"

	"fyne.io/fyne/v2"
)

// maxMeasured is how many texts are kept before sizes that were not requested since are dropped; a window has about a thousand, and
// readings bring new ones every second.
const maxMeasured = 1024

// measured caches the sizes of texts. Fyne drops its own cache with each change of the look and after a minute, although no font
// changes then, and shaping a text takes a third of a millisecond.
var measured sizes

// measuredText is a text in a font. It holds a hash of the text, so that thousands of short texts that were once visible do not
// linger in memory. The chance that two of 2,048 texts share the same 64 bits is one in 10^13.
type measuredText struct {
	text  uint64
	font  string
	size  float32
	style fyne.TextStyle
}

var textSeed = maphash.MakeSeed()

func hashOf(text string) uint64 { return maphash.String(textSeed, text) }

// sizes remembers the sizes requested last: no more than 2·maxMeasured.
type sizes struct {
	mu            sync.Mutex
	recent, older map[measuredText]fyne.Size
}

// of returns the size of a text; measure provides it if it is unknown.
func (s *sizes) of(key measuredText, measure func() fyne.Size) fyne.Size {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, known := s.recent[key]
	if known {
		return size
	}
	if size, known = s.older[key]; !known {
		size = measure()
	}
	if s.recent == nil {
		s.recent, s.older = make(map[measuredText]fyne.Size, maxMeasured), make(map[measuredText]fyne.Size, maxMeasured)
	}
	if len(s.recent) >= maxMeasured {
		s.recent, s.older = s.older, s.recent
		clear(s.recent)
	}
	s.recent[key] = size
	return size
}

// measureText returns the size of a text on one line.
func measureText(text string, size float32, style fyne.TextStyle) fyne.Size {
	key := measuredText{hashOf(text), fyne.CurrentApp().Settings().Theme().Font(style).Name(), size, style}
	return measured.of(key, func() fyne.Size { return fyne.MeasureText(text, size, style) })
}
