package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// menuHeight is what the menu bar takes where the system draws none.
const menuHeight = 26

// TestNothingIsClipped checks every text of every page and state: it has its room, lies within the window, and is not
// cut short, but for what comes from outside and is told in full elsewhere.
func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	for _, state := range uitest.States() {
		for _, size := range []fyne.Size{{Width: 1280, Height: 800}, {Width: 1100, Height: 700}} {
			t.Run(fmt.Sprintf("%s-%.0f", state, size.Width), func(t *testing.T) {
				d, _ := newTestWindow(t, kit.AlwaysLight, size.Width, size.Height)
				uitest.Play(d.Desk, state)
				for page, p := range d.pages {
					d.showPage(page)
					eachSegment(d, func(segment string) {
						t.Run(p.Title+segment, func(t *testing.T) {
							uitest.CheckClipping(t, d.content(), size)
							if minSize := d.content().MinSize(); minSize.Height+menuHeight > size.Height {
								t.Errorf("the content needs %v below the menu, the window has %v", minSize, size)
							}
						})
					})
				}
			})
		}
	}
}

// eachSegment calls f once for each segment of the page on show, with it chosen, or once where it has none.
func eachSegment(d *window, f func(name string)) { eachOf(d, uitest.Segments(d.front), f) }

// eachOf calls f for each of the segments with those names, with it chosen, or once where there is no name.
func eachOf(d *window, names []string, f func(name string)) {
	if len(names) == 0 {
		f("")
	}
	for _, name := range names {
		if o, ok := uitest.Option(d.front, name); ok {
			o.Tapped(&fyne.PointEvent{})
			f(" " + name)
		}
	}
}
