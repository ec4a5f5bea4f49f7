package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Reader is read-only text that scrolls if it does not fit. It is focusable, so that the keyboard can scroll it.
type Reader struct {
	widget.BaseWidget
	scroll  *container.Scroll
	focused bool
}

// NewReader returns a Reader that scrolls content up and down.
func NewReader(content fyne.CanvasObject) *Reader {
	r := &Reader{scroll: container.NewVScroll(content)}
	r.ExtendBaseWidget(r)
	return r
}

// NewReading returns a Reader whose content fills the width, at the height it then needs.
func NewReading(content fyne.CanvasObject) *Reader {
	return NewReader(container.New(&widthLayout{}, content))
}

// Held is the scroll.
func (r *Reader) Held() []fyne.CanvasObject { return []fyne.CanvasObject{r.scroll} }

// ScrollToTop shows the beginning.
func (r *Reader) ScrollToTop() { r.scroll.ScrollToTop() }

// FocusGained is part of fyne.Focusable.
func (r *Reader) FocusGained() { r.focused = true; Reveal(r); r.Refresh() }

// FocusLost is part of fyne.Focusable.
func (r *Reader) FocusLost() { r.focused = false; r.Refresh() }

// TypedRune is part of fyne.Focusable.
func (r *Reader) TypedRune(rune) {}

// TypedKey scrolls.
func (r *Reader) TypedKey(e *fyne.KeyEvent) {
	page := r.scroll.Size().Height * 0.9
	by := map[fyne.KeyName]float32{
		fyne.KeyUp: -40, fyne.KeyDown: 40, fyne.KeyPageUp: -page, fyne.KeyPageDown: page, fyne.KeySpace: page,
	}[e.Name]
	switch {
	case e.Name == fyne.KeyHome:
		r.scroll.ScrollToTop()
	case e.Name == fyne.KeyEnd:
		r.scroll.ScrollToBottom()
	case by != 0:
		r.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -by)})
	}
}

// CreateRenderer is part of fyne.Widget.
func (r *Reader) CreateRenderer() fyne.WidgetRenderer {
	r.ExtendBaseWidget(r)
	ring := NewRing(4)
	d := &readerRenderer{reader: r, ring: ring}
	d.Layout(r.Size()) // the window forgets hidden content after a while, but not its size
	return d
}

// readerRenderer draws a ring around the text while it has the focus.
type readerRenderer struct {
	reader *Reader
	ring   *canvas.Rectangle
}

func (d *readerRenderer) MinSize() fyne.Size { return d.reader.scroll.MinSize() }

func (d *readerRenderer) Layout(size fyne.Size) {
	d.reader.scroll.Resize(size)
	d.ring.Resize(size) // no larger: its container may clip it
}

func (d *readerRenderer) Refresh() {
	ShowRing(d.ring, d.reader.focused)
	d.reader.scroll.Refresh()
}

func (d *readerRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{d.reader.scroll, d.ring}
}

func (d *readerRenderer) Destroy() {}

// widthLayout gives one object the full width, and the height it needs for it.
type widthLayout struct{ width float32 }

func (l *widthLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(100, HeightFor(o[0], max(100, l.width)))
}

func (l *widthLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width - 8 // minus the scroll's bar
	o[0].Move(fyne.Position{})
	o[0].Resize(fyne.NewSize(l.width, HeightFor(o[0], l.width)))
}
