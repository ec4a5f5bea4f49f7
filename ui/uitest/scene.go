package uitest

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
)

// rect is part of a window.
type rect struct{ x0, y0, x1, y1 float32 }

func rectAt(at fyne.Position, size fyne.Size) rect {
	return rect{at.X, at.Y, at.X + size.Width, at.Y + size.Height}
}

func (r rect) intersect(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

func (r rect) empty() bool { return r.x1-r.x0 < 0.5 || r.y1-r.y0 < 0.5 }

func (r rect) holds(o rect) bool { return r.x0 <= o.x0 && r.y0 <= o.y0 && r.x1 >= o.x1 && r.y1 >= o.y1 }

// inset returns the rectangle shrunk by that much at its sides.
func (r rect) inset(dx, dy float32) rect { return rect{r.x0 + dx, r.y0 + dy, r.x1 - dx, r.y1 - dy} }

// drawn is one object that a window draws, and its position: a text, a shape, an image, a raster.
type drawn struct {
	object  fyne.CanvasObject
	of      fyne.CanvasObject // the innermost widget that contains it
	at      fyne.Position
	visible rect // its visible part; for a text, that of its letters
}

// scene lists what a window shows, from back to front, without objects scrolled out of view or transparent.
func scene(c fyne.Canvas) []drawn {
	list := sceneOf(c.Content(), c.Size())
	for _, o := range c.Overlays().List() {
		list = append(list, sceneOf(o, c.Size())...)
	}
	return list
}

// sceneOf lists what one object shows in a window of a given size.
func sceneOf(root fyne.CanvasObject, size fyne.Size) (list []drawn) {
	var visit func(o, of fyne.CanvasObject, at fyne.Position, clip rect)
	visit = func(o, of fyne.CanvasObject, at fyne.Position, clip rect) {
		if !o.Visible() {
			return
		}
		at = at.Add(o.Position())
		if c, ok := o.(*fyne.Container); ok {
			for _, child := range c.Objects {
				visit(child, of, at, clip)
			}
			return
		}
		if w, ok := o.(fyne.Widget); ok {
			r := test.WidgetRenderer(w)
			if clips(o, r) {
				clip = clip.intersect(rectAt(at, o.Size()))
			}
			for _, child := range r.Objects() {
				visit(child, o, at, clip)
			}
			return
		}
		if d := (drawn{o, of, at, extent(o, at).intersect(clip)}); !d.visible.empty() && !transparent(o) {
			list = append(list, d)
		}
	}
	visit(root, nil, fyne.Position{}, rect{0, 0, size.Width, size.Height})
	return list
}

// clips reports whether Fyne clips the content of a widget.
func clips(o fyne.CanvasObject, r fyne.WidgetRenderer) bool {
	_, scrolls := o.(fyne.Scrollable)
	_, clip := r.(interface{ IsClip() })
	return scrolls || clip
}

// extent returns the area where an object is drawn: for a text, the area of its letters.
func extent(o fyne.CanvasObject, at fyne.Position) rect {
	t, ok := o.(*canvas.Text)
	if !ok {
		return rectAt(at, o.Size())
	}
	letters, room := t.MinSize(), t.Size()
	switch t.Alignment {
	case fyne.TextAlignCenter:
		at.X += (room.Width - letters.Width) / 2
	case fyne.TextAlignTrailing:
		at.X += room.Width - letters.Width
	}
	at.Y += (room.Height - letters.Height) / 2
	return rectAt(at, letters)
}

// transparent reports whether an object is completely invisible wherever it is.
func transparent(o fyne.CanvasObject) bool {
	switch o := o.(type) {
	case *canvas.Text:
		return o.Text == "" || clear(o.Color)
	case *canvas.Rectangle:
		return clear(o.FillColor) && (clear(o.StrokeColor) || o.StrokeWidth == 0)
	case *canvas.Circle:
		return clear(o.FillColor) && (clear(o.StrokeColor) || o.StrokeWidth == 0)
	case *canvas.Image:
		return o.Resource == nil && o.File == "" && o.Image == nil
	}
	return false
}

func clear(c color.Color) bool { return c == nil || nrgba(c).A == 0 }

func nrgba(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }

// ground returns the color below the middle of something, from what is drawn before it.
func ground(before []drawn, over rect) (c color.NRGBA, ok bool) {
	x, y := (over.x0+over.x1)/2, (over.y0+over.y1)/2
	middle := rect{x, y, x, y}
	for _, d := range before {
		shape, is := d.object.(*canvas.Rectangle)
		if !is || !d.visible.holds(middle) || clear(shape.FillColor) {
			continue
		}
		top := nrgba(shape.FillColor)
		if top.A == 255 {
			c, ok = top, true
		} else {
			c = layered(top, c)
		}
	}
	return c, ok
}

// layered returns a color on top of an opaque one.
func layered(top, below color.NRGBA) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8((int(a)*int(top.A) + int(b)*(255-int(top.A))) / 255) }
	return color.NRGBA{mix(top.R, below.R), mix(top.G, below.G), mix(top.B, below.B), 255}
}
