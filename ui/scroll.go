package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/kit"
)

// scrollByKey scrolls the visible page with the scrolling keys, if no control has the focus. A dialog disables it.
func (d *window) scrollByKey(e *fyne.KeyEvent) {
	if d.Modal() {
		return
	}
	if take := d.views[d.at].Key; take != nil && take(e) {
		return
	}
	s := d.rooms[d.at] // the whole page, if it does not fit
	if s.Content.Size().Height <= s.Size().Height {
		s = tallest(d.views[d.at].Object)
	}
	if s == nil {
		return
	}
	page := s.Size().Height * 0.9
	by := map[fyne.KeyName]float32{
		fyne.KeyUp: -40, fyne.KeyDown: 40, fyne.KeyPageUp: -page, fyne.KeyPageDown: page, fyne.KeySpace: page,
	}
	switch e.Name {
	case fyne.KeyHome:
		s.ScrollToTop()
	case fyne.KeyEnd:
		s.ScrollToBottom()
	default:
		if by[e.Name] != 0 {
			s.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -by[e.Name])})
		}
	}
}

// tallest returns the scroll of a page with the most hidden content; nil if nothing is hidden.
func tallest(o fyne.CanvasObject) (found *container.Scroll) {
	hidden := func(s *container.Scroll) float32 { return s.Content.MinSize().Height - s.Size().Height }
	var look func(fyne.CanvasObject)
	look = func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *container.Scroll:
			if o.Visible() && hidden(o) > 0 && (found == nil || hidden(o) > hidden(found)) {
				found = o
			}
			look(o.Content)
		default:
			for _, c := range kit.Held(o) {
				if c.Visible() {
					look(c)
				}
			}
		}
	}
	look(o)
	return found
}
