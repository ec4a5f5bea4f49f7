package editor

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// Mark is an error or a warning at a place in the text, counted as compilers do: lines and columns from 1, columns in bytes.
// Column 0 is the whole line.
type Mark struct {
	Line, Column int
	Warning      bool // not an error
	Message      string
}

// Editor shows a document with line numbers, colors and marks, and edits it, unless it is read-only; then arrows, Page Up, Page
// Down, Home and End scroll. Only the visible lines are drawn.
type Editor struct {
	widget.BaseWidget
	Doc       *Document
	ReadOnly  bool
	Canvas    fyne.Canvas    // the canvas it is on; nil: ask Fyne, which does not know it before it was drawn
	Hints     *kit.Hints     // shows the message of a mark under the pointer; nil: nowhere
	OnChanged func()         // after the text was edited
	OnMoved   func()         // after the cursor moved
	OnCopied  func(string)   // receives the text to copy
	OnKey     func(Request)  // receives what the editor leaves to its surroundings
	marks     map[int][]Mark // by line, from 0
	colors    *highlights
	body      *body
	scroll    *container.Scroll
	focused   bool
	shift     map[fyne.KeyName]bool // keys that are down
	leaving   bool                  // Escape was pressed: Tab moves the focus
	told      Place                 // the cursor, as last reported
}

// Request is what a key asks of the editor's surroundings.
type Request int

// Requests.
const (
	FindRequest Request = iota
	NextRequest
	PreviousRequest
	CloseRequest // Escape
)

// New returns an editor with an empty text.
func New(l *Language, copied func(string)) *Editor {
	e := &Editor{Doc: NewDocument(""), OnCopied: copied, colors: &highlights{language: l}, shift: map[fyne.KeyName]bool{}}
	e.body = &body{editor: e}
	e.body.ExtendBaseWidget(e.body)
	e.scroll = container.NewScroll(e.body)
	e.scroll.OnScrolled = func(fyne.Position) { e.body.place() }
	e.ExtendBaseWidget(e)
	return e
}

// SetText replaces the text and shows its beginning.
func (e *Editor) SetText(s string) {
	e.Doc.SetText(s)
	e.marks = nil
	e.scroll.ScrollToOffset(fyne.Position{})
	e.Refresh()
}

// SetLanguage changes how the text is colored.
func (e *Editor) SetLanguage(l *Language) {
	e.colors = &highlights{language: l}
	e.Refresh()
}

// Change replaces the text, which can be undone.
func (e *Editor) Change(text string) { e.change(func() { e.Doc.Change(text) }) }

// Text is the whole text.
func (e *Editor) Text() string { return e.Doc.Text() }

// SetMarks replaces the marks.
func (e *Editor) SetMarks(marks []Mark) {
	e.marks = map[int][]Mark{}
	for _, m := range marks {
		if line := m.Line - 1; line >= 0 {
			line = min(line, e.Doc.Lines()-1)
			e.marks[line] = append(e.marks[line], m)
		}
	}
	if e.Hints != nil {
		e.Hints.Hide(e.body)
	}
	e.body.place()
}

// GoTo puts the cursor at a place, counted as compilers do, and brings it into view.
func (e *Editor) GoTo(line, column int) {
	line = max(1, min(line, e.Doc.Lines()))
	at := Place{line - 1, letterOfByte(e.Doc.Line(line-1), column-1)}
	e.Doc.Select(at, at)
	e.moved()
	e.Focus()
}

// letterOfByte returns the letter of a line that a byte belongs to.
func letterOfByte(line string, at int) int {
	n := 0
	for i := range line {
		if i >= at {
			return n
		}
		n++
	}
	return n
}

// Focus gives the editor the keyboard focus.
func (e *Editor) Focus() {
	e.focus(e)
}

func (e *Editor) focus(o fyne.Focusable) {
	c := e.Canvas
	if c == nil {
		c = fyne.CurrentApp().Driver().CanvasForObject(e)
	}
	if c != nil {
		c.Focus(o)
	}
}

// Copy passes the selection, or the whole text, to OnCopied.
func (e *Editor) Copy() {
	text := e.Doc.Selected()
	if text == "" {
		text = e.Doc.Text()
	}
	if e.OnCopied != nil {
		e.OnCopied(text)
	}
}

// edited redraws after the text changed.
func (e *Editor) edited() {
	e.body.Refresh()
	e.scroll.Refresh()
	e.moved()
	if e.OnChanged != nil {
		e.OnChanged()
	}
}

// moved redraws after the cursor moved, and keeps it visible.
func (e *Editor) moved() {
	e.reveal(e.Doc.Cursor())
	e.body.place()
	if at := e.Doc.Cursor(); at != e.told {
		e.told = at
		if e.OnMoved != nil {
			e.OnMoved()
		}
	}
}

// reveal scrolls as little as needed to show a place.
func (e *Editor) reveal(p Place) {
	b, at, view := e.body, e.scroll.Offset, e.scroll.Size()
	letter := b.measured()
	if view.Height < letter.Height || view.Width < b.gutter()+4*letter.Width {
		return
	}
	x, y := b.x(column(e.Doc.lines[p.Line], p.Letter)), b.y(p.Line)
	to := at
	to.Y = min(to.Y, max(0, y-pad))
	to.Y = max(to.Y, y+letter.Height+2*pad-view.Height)
	to.X = min(to.X, max(0, x-b.gutter()))
	to.X = max(to.X, x+4*letter.Width-view.Width)
	if to != at {
		e.scroll.ScrollToOffset(to)
	}
}

// FocusGained is part of fyne.Focusable.
func (e *Editor) FocusGained() { e.focused, e.leaving = true, false; kit.Reveal(e); e.Refresh() }

// FocusLost is part of fyne.Focusable.
func (e *Editor) FocusLost() { e.focused = false; clear(e.shift); e.Refresh() }

// CreateRenderer is part of fyne.Widget.
func (e *Editor) CreateRenderer() fyne.WidgetRenderer {
	e.ExtendBaseWidget(e)
	r := &renderer{editor: e, ring: kit.NewRing(4)}
	r.Layout(e.Size()) // Fyne drops the renderer of hidden objects, but not their size
	return r
}

// renderer is the scrolled text, with a ring around it while it has the focus.
type renderer struct {
	editor *Editor
	ring   *canvas.Rectangle
}

func (r *renderer) MinSize() fyne.Size {
	letter := r.editor.body.measure()
	return fyne.NewSize(20*letter.Width, 4*letter.Height)
}

func (r *renderer) Layout(size fyne.Size) {
	r.editor.scroll.Resize(size)
	r.ring.Resize(size)
	r.editor.body.place()
}

func (r *renderer) Refresh() {
	kit.ShowRing(r.ring, r.editor.focused)
	r.editor.body.Refresh()
	r.editor.scroll.Refresh()
	r.editor.body.place()
}

func (r *renderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.editor.scroll, r.ring} }
func (r *renderer) Destroy()                     {}
