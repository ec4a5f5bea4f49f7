package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// revealGap is the distance of a revealed object from the edge of its scroll.
const revealGap = 8

// Reveal scrolls an object into view, in each scroll around it, as little as possible.
func Reveal(o fyne.CanvasObject) {
	for _, s := range scrollsOf(o) {
		app := fyne.CurrentApp()
		at := app.Driver().AbsolutePositionForObject(o).Subtract(app.Driver().AbsolutePositionForObject(s))
		to := fyne.NewPos(
			s.Offset.X+beyond(at.X, o.Size().Width, s.Size().Width),
			s.Offset.Y+beyond(at.Y, o.Size().Height, s.Size().Height))
		if to != s.Offset {
			s.ScrollToOffset(to)
		}
	}
}

// beyond returns how far to scroll to bring a range into view; its start if it is too large.
func beyond(at, size, room float32) float32 {
	if size+2*revealGap > room {
		if at < 0 || at > room/2 {
			return at
		}
		return 0
	}
	if at < revealGap {
		return at - revealGap
	}
	return max(0, at+size+revealGap-room)
}

// Holder is a widget that contains others.
type Holder interface{ Held() []fyne.CanvasObject }

// Held is what an object contains, except lists and tables, which scroll by themselves.
func Held(o fyne.CanvasObject) []fyne.CanvasObject {
	switch o := o.(type) {
	case *fyne.Container:
		return o.Objects
	case *container.Scroll:
		return []fyne.CanvasObject{o.Content}
	case *container.ThemeOverride:
		return []fyne.CanvasObject{o.Content}
	case *widget.PopUp:
		return []fyne.CanvasObject{o.Content}
	case Holder:
		return o.Held()
	}
	return nil
}

// scrollsOf lists the scrolls around an object in its window, the outermost first.
func scrollsOf(o fyne.CanvasObject) []*container.Scroll {
	app := fyne.CurrentApp()
	if app == nil {
		return nil
	}
	c := app.Driver().CanvasForObject(o)
	if c == nil {
		return nil
	}
	scrolls, found := scrollsAround(c.Content(), o)
	if top := c.Overlays().Top(); top != nil && !found {
		scrolls, _ = scrollsAround(top, o)
	}
	return scrolls
}

// scrollsAround lists the scrolls around an object, the outermost first, and reports whether it was found.
func scrollsAround(root, o fyne.CanvasObject) (list []*container.Scroll, ok bool) {
	if root == o {
		return nil, true
	}
	for _, c := range Held(root) {
		if inner, ok := scrollsAround(c, o); ok {
			if s, is := root.(*container.Scroll); is {
				inner = append([]*container.Scroll{s}, inner...)
			}
			return inner, true
		}
	}
	return nil, false
}

// Held is what the option shows.
func (o *Option) Held() []fyne.CanvasObject { return []fyne.CanvasObject{o.content} }

// Held is what the term shows.
func (t *Term) Held() []fyne.CanvasObject { return []fyne.CanvasObject{t.content} }

// Held are the thumbs.
func (r *Range) Held() []fyne.CanvasObject { return []fyne.CanvasObject{r.thumbs[0], r.thumbs[1]} }
