package ui

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestEveryControlIsReachedByTab tabs through every page and segment, and reaches every enabled control; none works
// with the pointer only.
func TestEveryControlIsReachedByTab(t *testing.T) {
	uitest.Pictures(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	uitest.Play(d.Desk, "finished")
	for i, p := range d.pages {
		d.showPage(i)
		eachSegment(d, func(segment string) {
			want, pointerOnly := uitest.Controls(d.content())
			for _, o := range pointerOnly {
				if strings.HasSuffix(fmt.Sprintf("%T", o), "scrollBarArea") {
					continue // the keys scroll, too
				}
				t.Errorf("%s%s: %T %v is for the pointer only", p.Title, segment, o, uitest.Texts(o))
			}
			reached := map[fyne.Focusable]bool{}
			d.Window.Canvas().Unfocus()
			for range 500 {
				test.FocusNext(d.Window.Canvas())
				f := d.Window.Canvas().Focused()
				if f == want[0] && reached[f] {
					break // once around
				}
				reached[f] = true
			}
			for _, f := range want {
				if tabs, ok := f.(fyne.Tabbable); ok && tabs.AcceptsTab() {
					f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}) // this lets Tab leave an editor
				}
				if tabs, ok := f.(fyne.Tabbable); ok && tabs.AcceptsTab() {
					t.Errorf("%s%s: Tab does not leave %T", p.Title, segment, f)
				}
				if !reached[f] {
					t.Errorf("%s%s: Tab does not reach %T %v", p.Title, segment, f, uitest.Texts(f.(fyne.CanvasObject)))
				}
			}
			if len(want) < len(d.pages)+5 {
				t.Errorf("%s%s: only %d controls were found", p.Title, segment, len(want))
			}
		})
	}
}

// TestFocusIsSeen compares pictures with and without the focus, in both looks, for a control of each type on each page.
func TestFocusIsSeen(t *testing.T) {
	uitest.Pictures(t)
	for _, look := range []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight} {
		d, _ := newTestWindow(t, look, 1100, 700)
		uitest.Play(d.Desk, "empty")
		most := map[string]int{} // by type: the pixels that the focus changes, for a control that is not scrolled out of view
		for i := range d.pages {
			d.showPage(i)
			controls, _ := uitest.Controls(d.front)
			for _, f := range controls {
				if kind := fmt.Sprintf("%T", f); most[kind] < minSeen {
					most[kind] = focusPixels(d, f)
				}
			}
		}
		for kind, n := range most {
			if n < minSeen {
				t.Errorf("%s: the focus on a %s changes %d pixels", look, kind, n)
			}
		}
		if len(most) < 5 {
			t.Errorf("only controls of the types %v were found", most)
		}
	}
}

// minSeen is how many pixels the focus must change.
const minSeen = 12

// focusPixels is how many pixels the focus changes.
func focusPixels(d *window, f fyne.Focusable) int {
	canvas := d.Window.Canvas()
	canvas.Unfocus()
	before := canvas.Capture()
	canvas.Focus(f)
	after := canvas.Capture()
	canvas.Unfocus()
	return changed(before, after)
}

// changed counts the pixels with a visible difference.
func changed(a, b image.Image) (n int) {
	area := a.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if a.At(x, y) == b.At(x, y) {
				continue
			}
			r, g, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			if apart(r, r2)+apart(g, g2)+apart(b1, b2) > 40 {
				n++
			}
		}
	}
	return n
}

func apart(a, b uint32) int { return max(int(a>>8)-int(b>>8), int(b>>8)-int(a>>8)) }

// TestArrowsMoveOnTheRail walks through the pages with the arrows.
func TestArrowsMoveOnTheRail(t *testing.T) {
	uitest.Again(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	canvas := d.Window.Canvas()
	canvas.Focus(d.rail.Options[0])
	for i := 1; i < len(d.pages); i++ {
		canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		if d.at != i || canvas.Focused() != fyne.Focusable(d.rail.Options[i]) {
			t.Fatalf("page %d is in front after %d times Down", d.at, i)
		}
	}
	canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown}) // there is no next page
	if canvas.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp}); d.at != len(d.pages)-2 {
		t.Errorf("page %d is in front after Up", d.at)
	}
	canvas.Focus(d.rail.Options[0])
	for _, key := range []fyne.KeyName{fyne.KeySpace, fyne.KeyReturn} {
		d.showPage(1)
		if canvas.Focused().TypedKey(&fyne.KeyEvent{Name: key}); d.at != 0 {
			t.Errorf("%s does not choose", key)
		}
	}
}

// TestKeysDoNotGoToAHiddenPage leaves each page with the focus on one of its controls.
func TestKeysDoNotGoToAHiddenPage(t *testing.T) {
	uitest.Again(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	canvas := d.Window.Canvas()
	for i := range d.pages {
		d.showPage(i)
		controls, _ := uitest.Controls(d.front)
		if len(controls) == 0 {
			t.Fatalf("page %d has no control", i)
		}
		canvas.Focus(controls[0])
		d.showPage((i + 1) % len(d.pages))
		if f := canvas.Focused(); f != nil {
			t.Errorf("page %d is gone, and the keys go to its %T", i, f)
		}
	}
	d.showNamed(desk.PageRun)
	e := entryOf(t, d, "max_size")
	canvas.Focus(e)
	d.showNamed(desk.PageRun) // it is in front already
	if canvas.Focused() != fyne.Focusable(e) {
		t.Error("the page that is in front loses the focus when it is asked for again")
	}
}

// TestRailHoldsEightPages uses the smallest window below its menu, also with large text.
func TestRailHoldsEightPages(t *testing.T) {
	uitest.NewApp(t)
	fyne.CurrentApp().Settings().SetTheme(kit.NewSizedLook(kit.AlwaysDark, 130))
	var eight []desk.Page
	for range 8 {
		eight = append(eight, desk.Page{Title: "Settings", Icon: kit.BellIcon()})
	}
	if minSize := newRail(eight, func(int) {}, kit.NewHints()).object.MinSize(); minSize.Height > 700-menuHeight-28 {
		t.Errorf("the rail needs %v", minSize)
	}
}

// TestPagesScrollByKey reads About, which is longer than the window, to its end and back.
func TestPagesScrollByKey(t *testing.T) {
	d, _ := newTestWindow(t, kit.AlwaysDark, 1100, 700)
	d.showNamed(pageAbout)
	s := tallest(d.views[d.at].Object)
	if s == nil {
		t.Fatal("nothing is out of sight")
	}
	press := d.Window.Canvas().OnTypedKey()
	for _, c := range []struct {
		key fyne.KeyName
		at  func() bool
	}{
		{fyne.KeyDown, func() bool { return s.Offset.Y > 0 && s.Offset.Y < 100 }},
		{fyne.KeyPageDown, func() bool { return s.Offset.Y > 200 }},
		{fyne.KeyEnd, func() bool { return s.Offset.Y+s.Size().Height >= s.Content.Size().Height-1 }},
		{fyne.KeyPageUp, func() bool { return s.Offset.Y+s.Size().Height < s.Content.Size().Height-100 }},
		{fyne.KeyHome, func() bool { return s.Offset.Y == 0 }},
	} {
		if press(&fyne.KeyEvent{Name: c.key}); !c.at() {
			t.Errorf("after %s the page is at %v", c.key, s.Offset.Y)
		}
	}
}

// TestLargeTextIsNotClipped checks every page with large text in a window of the default size.
func TestLargeTextIsNotClipped(t *testing.T) {
	uitest.Pictures(t)
	size := fyne.NewSize(1280, 800)
	for percent, states := range map[int][]string{130: {"failed"}, kit.MaxTextSize: {"empty", "failed"}} {
		for _, state := range states {
			d, _ := newTestWindow(t, kit.AlwaysLight, size.Width, size.Height)
			uitest.Play(d.Desk, state)
			d.SetTextSize(percent)
			fyne.CurrentApp().Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, percent)) // the software driver does not follow the setting
			d.Window.Resize(size)
			for i, p := range d.pages {
				d.showPage(i)
				eachSegment(d, func(segment string) {
					t.Run(fmt.Sprintf("%d %s %s%s", percent, state, p.Title, segment), func(t *testing.T) {
						uitest.CheckClipping(t, d.content(), size)
					})
				})
			}
		}
	}
}

// TestEveryPageFollowsTheLook changes the look while another page is visible, and compares each page with that of a
// window that had the look from the start.
func TestEveryPageFollowsTheLook(t *testing.T) {
	uitest.Pictures(t)
	pictures := func(first, then kit.Appearance) (list []image.Image, names []string) {
		d, _ := newTestWindow(t, first, 1100, 700)
		uitest.Play(d.Desk, "finished")
		for i := range d.pages { // each has been drawn
			d.showPage(i)
			d.Window.Canvas().Capture()
		}
		d.SetAppearance(then)
		fyne.CurrentApp().Settings().SetTheme(kit.NewLook(then))
		for i, p := range d.pages {
			d.showPage(i)
			list, names = append(list, d.Window.Canvas().Capture()), append(names, p.Title)
		}
		return list, names
	}
	want, names := pictures(kit.AlwaysDark, kit.AlwaysDark)
	got, _ := pictures(kit.AlwaysLight, kit.AlwaysDark)
	for i, name := range names {
		if n := changed(want[i], got[i]); n > maxOff {
			t.Errorf("%s after a change to dark: %d pixels are not as in a fresh window", name, n)
			uitest.WritePNG(t, filepath.Join("testdata", "failed", "look-"+name+".png"), got[i])
		}
	}
}

// maxOff is the maximum number of pixels that may differ, such as those of a running time.
const maxOff = 60
