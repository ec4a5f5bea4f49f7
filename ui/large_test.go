package ui

import (
	"fmt"
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestTextSizes checks every page after a run, with a row chosen, at the minimum size of the window and several text sizes:
// the window keeps its size, no card overlaps another, no text is cut off, no page is too wide, and no button is lost.
func TestTextSizes(t *testing.T) {
	uitest.Pictures(t)
	least := fyne.NewSize(1100, 700)
	d, _ := newTestWindow(t, kit.AlwaysLight, least.Width, least.Height)
	uitest.Play(d.Desk, "finished")
	usual := map[string][]string{} // the buttons of each page at the usual size
	segments := make([][]string, len(d.pages))
	for i, percent := range []int{kit.UsualTextSize, 80, 130, 160} {
		d.showPage(i) // another page is visible each time the size changes
		d.SetTextSize(percent)
		for page, p := range d.pages {
			d.showPage(page)
			if percent == kit.UsualTextSize {
				segments[page] = shown(d)
			}
			eachOf(d, segments[page], func(segment string) {
				buttons, name := d.buttons(), p.Title+segment
				if percent == kit.UsualTextSize {
					usual[name] = buttons
					return
				}
				t.Run(fmt.Sprintf("%s at %d", name, percent), func(t *testing.T) {
					if lost := without(usual[name], buttons); len(lost) > 0 {
						t.Errorf("lost: %q", lost)
					}
					d.checkSize(t, least)
				})
			})
		}
	}
}

// checkSize checks the visible page in a window of a given size.
func (d *window) checkSize(t *testing.T, size fyne.Size) {
	t.Helper()
	if now := d.Window.Canvas().Size(); now != size {
		t.Errorf("the window has grown from %v to %v", size, now)
	}
	room := d.rooms[d.at]
	if wide := room.Content.MinSize().Width; wide > room.Size().Width {
		t.Errorf("the page needs %v, has %v", wide, room.Size().Width)
	}
	uitest.CheckOverlap(t, d.content())
	uitest.CheckClipping(t, d.content(), size)
}

// buttons chooses the second row of a visible table, and lists the buttons of the page.
func (d *window) buttons() (names []string) {
	if table, ok := uitest.Find(d.front, func(t *kit.TableView) bool { return t.Rows() > 1 }); ok {
		table.Choose(1)
	}
	size := d.Window.Canvas().Size()
	d.Window.Resize(size.AddWidthHeight(1, 1)) // as Fyne does in a window when minimum sizes change
	d.Window.Resize(size)
	uitest.Walk(d.front, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if b, ok := o.(*kit.Button); ok && b.Text != "Questions" && b.Text != "Hide questions" { // the workload list has one of them
			names = append(names, b.Text)
		}
	})
	return names
}

// without lists what is in one list and not in the other.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// TestFrameKeepsItsSize checks that the window's minimum size is independent of the text size, and that its status bar fits.
func TestFrameKeepsItsSize(t *testing.T) {
	uitest.Pictures(t)
	d, _ := newTestWindow(t, kit.AlwaysLight, 1100, 700)
	before := d.content().MinSize()
	for _, percent := range []int{80, 160} {
		d.SetTextSize(percent)
		if now := d.content().MinSize(); now != before {
			t.Errorf("at %d %% the window needs %v, before %v", percent, now, before)
		}
		if bar := d.status.object; bar.Position().Y+bar.Size().Height > d.content().Size().Height+0.5 {
			t.Errorf("at %d %% the status bar ends at %v of %v", percent, bar.Position().Y+bar.Size().Height, d.content().Size())
		}
	}
}
