package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Hints shows the explanation of one term at a time in a bubble beside it. Its Object lies on top of the window's content
// and takes no input.
type Hints struct {
	Object *fyne.Container
	words  *Text
	bubble *fyne.Container
	of     fyne.CanvasObject // the object whose explanation is shown
}

// NewHints returns a layer without a bubble.
func NewHints() *Hints {
	h := &Hints{words: NewBody("", maxHintLines)}
	back := NewFill(ColorPanel, 6)
	back.Stroke = theme.ColorNameInputBorder
	h.bubble = StackOf(back, Inset(h.words, hintPadH, hintPadV))
	h.bubble.Hide()
	h.Object = container.NewWithoutLayout(h.bubble)
	return h
}

const (
	hintWidth    = 300 // of its text, at 100 %, unless it takes too many lines
	hintLines    = 10
	maxHintLines = 40
	hintPadH     = 10
	hintPadV     = 6
	hintGap      = 4
)

// show places the bubble below an object, or above it if there is no room, within the window.
func (h *Hints) show(t fyne.CanvasObject, about string) { h.place(t, about, false) }

// place is show; beside places the bubble to the right of the object.
func (h *Hints) place(t fyne.CanvasObject, about string, beside bool) {
	h.placeAt(t, fyne.Position{}, t.Size(), about, beside)
}

// placeAt is place for a part of an object.
func (h *Hints) placeAt(t fyne.CanvasObject, part fyne.Position, of fyne.Size, about string, beside bool) {
	h.of = t
	h.words.Set(about)
	width := h.widthOf(about)
	size := fyne.NewSize(width+2*hintPadH, h.words.HeightFor(width)+2*hintPadV)
	driver := fyne.CurrentApp().Driver()
	origin := driver.AbsolutePositionForObject(h.Object)
	at := driver.AbsolutePositionForObject(t).Subtract(origin).Add(part)
	room := h.Object.Size()
	x := min(at.X, room.Width-size.Width-hintGap)
	y := at.Y + of.Height + hintGap
	if beside {
		x, y = at.X+of.Width+hintGap, at.Y+(of.Height-size.Height)/2
	}
	if y+size.Height > room.Height {
		y = at.Y - size.Height - hintGap
	}
	h.bubble.Resize(size)
	h.bubble.Move(fyne.NewPos(max(hintGap, x), max(0, y)))
	h.bubble.Show()
	h.Object.Refresh()
}

// ShowAt explains a part of an object, below it.
func (h *Hints) ShowAt(o fyne.CanvasObject, part fyne.Position, of fyne.Size, about string) {
	h.placeAt(o, part, of, about, false)
}

// Hide hides the bubble if it belongs to that object.
func (h *Hints) Hide(o fyne.CanvasObject) { h.hide(o) }

// widthOf returns the width of the text: wider than usual if it would take too many lines.
func (h *Hints) widthOf(about string) float32 {
	width := Scaled(hintWidth)
	most := max(width, h.Object.Size().Width-2*(hintPadH+hintGap))
	for line := h.words.HeightFor(most * 2); width < most && h.words.HeightFor(width) > hintLines*line; {
		width = min(most, width*1.25)
	}
	return min(width, h.words.measure(about).Width+1)
}

// hide hides the bubble if it belongs to that object.
func (h *Hints) hide(t fyne.CanvasObject) {
	if h.of == t {
		h.of = nil
		h.bubble.Hide()
		h.Object.Refresh()
	}
}

// Scrolled hides the bubble when the content under it scrolls away; it is an OnScrolled.
func (h *Hints) Scrolled(fyne.Position) { h.Clear() }

// Clear hides the bubble, whose object may be gone.
func (h *Hints) Clear() {
	if h.of != nil {
		h.hide(h.of)
	}
}

// Term is a text with an explanation, shown while it is hovered or has the focus.
type Term struct {
	widget.BaseWidget
	content fyne.CanvasObject
	about   string
	hints   *Hints
	focused bool
}

// NewTerm adds an explanation to content.
func NewTerm(content fyne.CanvasObject, about string, hints *Hints) *Term {
	t := &Term{content: content, about: about, hints: hints}
	t.ExtendBaseWidget(t)
	return t
}

// Explain changes the explanation.
func (t *Term) Explain(about string) {
	if about != t.about {
		t.about = about
		if t.hints.of == t {
			t.hints.show(t, t.about)
		}
	}
}

// About is the explanation.
func (t *Term) About() string { return t.about }

// MouseIn is part of desktop.Hoverable.
func (t *Term) MouseIn(*desktop.MouseEvent) { t.hints.show(t, t.about) }

// MouseMoved is part of desktop.Hoverable.
func (t *Term) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (t *Term) MouseOut() { t.hints.hide(t) }

// FocusGained is part of fyne.Focusable.
func (t *Term) FocusGained() { t.focused = true; Reveal(t); t.hints.show(t, t.about); t.Refresh() }

// FocusLost is part of fyne.Focusable.
func (t *Term) FocusLost() { t.focused = false; t.hints.hide(t); t.Refresh() }

// TypedRune is part of fyne.Focusable.
func (t *Term) TypedRune(rune) {}

// TypedKey hides the explanation with Escape and shows it with Space.
func (t *Term) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyEscape:
		t.hints.hide(t)
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		t.hints.show(t, t.about)
	}
}

// CreateRenderer is part of fyne.Widget.
func (t *Term) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	ring := NewRing(4)
	r := &termRenderer{term: t, ring: ring}
	r.Layout(t.Size()) // Fyne drops the renderer of hidden objects, but not their size
	return r
}

// termRenderer draws a ring around the content while it has the focus.
type termRenderer struct {
	term *Term
	ring *canvas.Rectangle
}

func (r *termRenderer) MinSize() fyne.Size { return r.term.content.MinSize() }

func (r *termRenderer) Layout(size fyne.Size) {
	r.term.content.Resize(size)
	r.ring.Move(fyne.NewPos(-3, -1))
	r.ring.Resize(size.AddWidthHeight(6, 2))
}

func (r *termRenderer) Refresh() {
	ShowRing(r.ring, r.term.focused)
	r.term.content.Refresh()
}

func (r *termRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ring, r.term.content}
}
func (r *termRenderer) Destroy() {}
