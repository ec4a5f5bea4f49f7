package uitest

import (
	"sync"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// NewApp returns an app of the software driver that measures the same text only once. Fyne forgets text sizes with each app and
// each theme, and measuring them again took half of the tests' time.
func NewApp(t testing.TB) fyne.App {
	t.Helper()
	a := test.NewTempApp(t)
	remembering := memoApp{App: a, driver: memoDriver{Driver: a.Driver()}}
	fyne.SetCurrentApp(remembering)
	return remembering
}

type memoApp struct {
	fyne.App
	driver memoDriver
}

// Driver is part of fyne.App.
func (a memoApp) Driver() fyne.Driver { return a.driver }

type memoDriver struct{ fyne.Driver }

// RenderedTextSize is part of fyne.Driver.
func (d memoDriver) RenderedTextSize(text string, size float32, style fyne.TextStyle, source fyne.Resource) (fyne.Size, float32) {
	font := source
	if font == nil {
		font = fyne.CurrentApp().Settings().Theme().Font(style)
	}
	key := measuredText{text: text, size: size, style: style, font: font.Name(), own: source != nil}
	measuredTexts.Lock()
	defer measuredTexts.Unlock()
	if m, ok := measuredTexts.sizes[key]; ok {
		return m.size, m.baseline
	}
	var m textSize
	m.size, m.baseline = d.Driver.RenderedTextSize(text, size, style, source)
	if len(measuredTexts.sizes) >= maxMeasured || measuredTexts.sizes == nil {
		measuredTexts.sizes = map[measuredText]textSize{}
	}
	measuredTexts.sizes[key] = m
	return m.size, m.baseline
}

// maxMeasured bounds how many sizes are cached.
const maxMeasured = 1 << 14

type measuredText struct {
	text  string
	size  float32
	style fyne.TextStyle
	font  string
	own   bool // the text has its own font, not the theme's
}

type textSize struct {
	size     fyne.Size
	baseline float32
}

var measuredTexts struct {
	sync.Mutex
	sizes map[measuredText]textSize
}
