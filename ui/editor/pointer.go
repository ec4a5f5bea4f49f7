package editor

import (
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// placeAt returns the place in the text at a position.
func (b *body) placeAt(p fyne.Position) Place {
	d := b.editor.Doc
	line := int(math.Floor(float64((p.Y - pad) / b.letter.Height)))
	switch {
	case line < 0:
		return Place{}
	case line >= d.Lines():
		return d.End()
	}
	return Place{line, letterAt(d.lines[line], max(0, int(math.Round(float64((p.X-b.gutter())/b.letter.Width)))))}
}

// MouseDown is part of desktop.Mouseable: it moves the cursor there or, with Shift, extends the selection.
func (b *body) MouseDown(m *desktop.MouseEvent) {
	e := b.editor
	e.Focus()
	if m.Button != desktop.MouseButtonPrimary {
		return
	}
	to := b.placeAt(m.Position)
	anchor := to
	if m.Modifier&fyne.KeyModifierShift != 0 {
		anchor = e.Doc.anchor
	}
	e.Doc.Select(anchor, to)
	e.moved()
}

// MouseUp is part of desktop.Mouseable.
func (b *body) MouseUp(*desktop.MouseEvent) {}

// DoubleTapped is part of fyne.DoubleTappable: it selects the word.
func (b *body) DoubleTapped(p *fyne.PointEvent) {
	s := b.editor.Doc.WordAt(b.placeAt(p.Position))
	b.editor.Doc.Select(s.From, s.To)
	b.editor.moved()
}

// Dragged is part of fyne.Draggable: the selection extends to the pointer, which stays visible.
func (b *body) Dragged(m *fyne.DragEvent) {
	b.editor.Doc.Select(b.editor.Doc.anchor, b.placeAt(m.Position))
	b.editor.moved()
}

// DragEnd is part of fyne.Draggable.
func (b *body) DragEnd() {}

// Cursor is part of desktop.Cursorable.
func (b *body) Cursor() desktop.Cursor { return desktop.TextCursor }

// MouseIn is part of desktop.Hoverable.
func (b *body) MouseIn(m *desktop.MouseEvent) { b.over = -1; b.MouseMoved(m) }

// MouseMoved is part of desktop.Hoverable: it explains the marks of the line under the pointer.
func (b *body) MouseMoved(m *desktop.MouseEvent) {
	e := b.editor
	if e.Hints == nil {
		return
	}
	line := int(math.Floor(float64((m.Position.Y - pad) / b.letter.Height)))
	marks := e.marks[line]
	if len(marks) == 0 {
		line = -1
	}
	if line == b.over {
		return
	}
	b.over = line
	if line < 0 {
		e.Hints.Hide(b)
		return
	}
	var words []string
	for _, mark := range marks {
		words = append(words, mark.Message)
	}
	from, _ := b.extent(line, marks[0])
	e.Hints.ShowAt(b, fyne.NewPos(b.x(from), b.y(line)), fyne.NewSize(b.letter.Width, b.letter.Height), strings.Join(words, "\n"))
}

// MouseOut is part of desktop.Hoverable.
func (b *body) MouseOut() {
	b.over = -1
	if b.editor.Hints != nil {
		b.editor.Hints.Hide(b)
	}
}
