package ui

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// menuHeight is the height of the menu bar if the system draws none.
const menuHeight = 26

// TestNothingIsClipped checks every text of every page and state: it fits, lies within the window, and is not
// truncated, except external text that is shown in full elsewhere.
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

// eachSegment calls f once for each segment of the current page, with it chosen, or once if it has none.
func eachSegment(d *window, f func(name string)) { eachOf(d, shown(d), f) }

// shown returns the segments of the visible page that show something else. Those of the appearance change only colors, and
// cost a second each.
func shown(d *window) []string {
	if d.pages[d.at].Name == pageSettings {
		return nil
	}
	return uitest.Segments(d.front)
}

// eachOf calls f for each of the named segments, with it chosen, or once if there is no name.
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
