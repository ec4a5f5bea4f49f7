package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// wheel lies on top of a Fyne entry, whose own scroll would swallow the mouse wheel: movement that the entry cannot use moves the
// page. Text that is no taller than its field uses only horizontal movement: Fyne would also move it sideways on vertical movement.
type wheel struct {
	widget.BaseWidget
	entry *widget.Entry
	on    fyne.CanvasObject // the widget that the entry is part of
	text  *container.Scroll // of the entry
}

func newWheel(entry *widget.Entry, on fyne.CanvasObject, text *container.Scroll) *wheel {
	w := &wheel{entry: entry, on: on, text: text}
	w.ExtendBaseWidget(w)
	return w
}

// CreateRenderer is part of fyne.Widget: there is nothing to see.
func (w *wheel) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewWithoutLayout())
}

// Scrolled is part of fyne.Scrollable.
func (w *wheel) Scrolled(e *fyne.ScrollEvent) {
	rest := *e
	rest.Scrolled = w.move(e)
	if around := scrollsOf(w.on); len(around) > 0 {
		around[len(around)-1].Scrolled(&rest)
	}
}

// move moves the text within the entry and returns the unused movement.
func (w *wheel) move(e *fyne.ScrollEvent) fyne.Delta {
	own, left, before := *e, e.Scrolled, w.text.Offset
	if !w.upAndDown() {
		own.Scrolled.DY = 0
	}
	if own.Scrolled.IsZero() {
		return left
	}
	w.text.Scrolled(&own)
	if w.text.Offset.X != before.X {
		left.DX = 0
	}
	if w.text.Offset.Y != before.Y {
		left.DY = 0
	}
	return left
}

// upAndDown reports whether the text is taller than its field.
func (w *wheel) upAndDown() bool {
	return w.entry.MultiLine && w.text.Content.MinSize().Height > w.text.Size().Height
}
