package kit

import (
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// spot is a position in the text: before the letter with that index.
type spot struct{ line, letter int }

func (s spot) before(o spot) bool { return s.line < o.line || s.line == o.line && s.letter < o.letter }

// codeBody is the scrolled content: as large as the whole text, with the visible lines.
type codeBody struct {
	widget.BaseWidget
	code         *Code
	letter       fyne.Size // of every letter
	text, size   float32   // of running text, and of letters beside it
	anchor, head spot      // ends of the selection
	objects      []fyne.CanvasObject
}

const codePad = 6

// measure updates the size of letters.
func (b *codeBody) measure() fyne.Size {
	if text := theme.TextSize(); b.text != text {
		b.text, b.size = text, monospaced(text)
	}
	size := fyne.MeasureText(strings.Repeat("0", 20), b.size, fyne.TextStyle{Monospace: true})
	b.letter = fyne.NewSize(size.Width/20, ceil(size.Height)+1)
	return b.letter
}

// monospaced is the size of letters of one width beside text of a size, up to a point larger, that shows the most of what hangs
// below the line. Fyne draws the line at a whole pixel and cuts the height to whole pixels: of many sizes it cuts off the row in
// which an underscore is.
func monospaced(text float32) float32 {
	driver, style := fyne.CurrentApp().Driver(), fyne.TextStyle{Monospace: true}
	const large = 100 // at which rounding does not matter
	bounds, line := driver.RenderedTextSize("_", large, style, nil)
	hangs := (bounds.Height - line) / large
	best, most := text, float32(-large)
	for i := range 10 {
		size := text + float32(i)/10
		bounds, line := driver.RenderedTextSize("_", size, style, nil)
		if room := min(0, float32(math.Round(float64(bounds.Height)))-ceil(line)-hangs*size); room > most+0.05 {
			best, most = size, room
		}
	}
	return best
}

// gutter is the width of the line numbers.
func (b *codeBody) gutter() float32 {
	return float32(len(strconv.Itoa(len(b.code.lines)))+2)*b.letter.Width + codePad
}

// selection returns the ends of the selection in order.
func (b *codeBody) selection() (from, to spot) {
	if b.head.before(b.anchor) {
		return b.head, b.anchor
	}
	return b.anchor, b.head
}

// selectedOf returns which letters of line i are selected.
func (b *codeBody) selectedOf(i int) (from, to int) {
	first, last := b.selection()
	to = len([]rune(b.code.lines[i]))
	switch {
	case i < first.line || i > last.line:
		return 0, 0
	case i == first.line:
		from = first.letter
	}
	if i == last.line {
		to = last.letter
	}
	return from, to
}

// place draws the visible lines.
func (b *codeBody) place() {
	b.objects = b.objects[:0]
	view, at := b.code.scroll.Size(), b.code.scroll.Offset
	if b.letter.Height == 0 {
		b.measure()
	}
	first := max(0, int((at.Y-codePad)/b.letter.Height))
	last := min(len(b.code.lines)-1, int((at.Y+view.Height-codePad)/b.letter.Height))
	for i := first; i <= last; i++ {
		b.line(i)
	}
	canvas.Refresh(b)
}

// line draws line i: its selection, number, code and comment.
func (b *codeBody) line(i int) {
	y, text := codePad+float32(i)*b.letter.Height, b.code.lines[i]
	if from, to := b.selectedOf(i); to > from {
		back := canvas.NewRectangle(theme.Color(theme.ColorNameSelection))
		put(back, b.x(from), y, float32(to-from)*b.letter.Width, b.letter.Height)
		b.objects = append(b.objects, back)
	}
	number := strconv.Itoa(i + 1)
	digits := len(strconv.Itoa(len(b.code.lines)))
	b.write(number, codePad+float32(digits-len(number))*b.letter.Width, y, ColorSecondary)
	code, comment := text, ""
	if at := strings.Index(text, b.code.Comment); b.code.Comment != "" && at >= 0 {
		code, comment = text[:at], text[at:]
	}
	b.write(code, b.gutter(), y, theme.ColorNameForeground)
	b.write(comment, b.x(len([]rune(code))), y, ColorSecondary)
}

// x is where a letter of a line begins.
func (b *codeBody) x(letter int) float32 { return b.gutter() + float32(letter)*b.letter.Width }

// write draws text, except blank text.
func (b *codeBody) write(s string, x, y float32, color fyne.ThemeColorName) {
	bare := strings.TrimLeft(s, " ")
	if bare == "" {
		return
	}
	t := canvas.NewText(strings.TrimRight(bare, " "), theme.Color(color))
	t.TextStyle.Monospace, t.TextSize = true, b.size
	put(t, x+float32(len(s)-len(bare))*b.letter.Width, y, t.MinSize().Width, t.MinSize().Height)
	b.objects = append(b.objects, t)
}

// spotAt is the place in the text at a position.
func (b *codeBody) spotAt(p fyne.Position) spot {
	if len(b.code.lines) == 0 {
		return spot{}
	}
	line := int(math.Floor(float64((p.Y - codePad) / b.letter.Height)))
	switch {
	case line < 0:
		return spot{}
	case line >= len(b.code.lines):
		line = len(b.code.lines) - 1
		return spot{line, len([]rune(b.code.lines[line]))}
	}
	letter := int(math.Round(float64((p.X - b.gutter()) / b.letter.Width)))
	return spot{line, max(0, min(letter, len([]rune(b.code.lines[line]))))}
}

// MouseDown is part of desktop.Mouseable: a selection begins.
func (b *codeBody) MouseDown(e *desktop.MouseEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(b.code); c != nil {
		c.Focus(b.code)
	}
	if e.Button == desktop.MouseButtonPrimary {
		b.anchor = b.spotAt(e.Position)
		b.head = b.anchor
		b.place()
	}
}

// MouseUp is part of desktop.Mouseable.
func (b *codeBody) MouseUp(*desktop.MouseEvent) {}

// Dragged is part of fyne.Draggable: the selection extends to the pointer, which stays visible.
func (b *codeBody) Dragged(e *fyne.DragEvent) {
	b.head = b.spotAt(e.Position)
	at, view := b.code.scroll.Offset, b.code.scroll.Size()
	y := codePad + float32(b.head.line)*b.letter.Height
	if to := min(y, max(at.Y, y+b.letter.Height-view.Height)); to != at.Y {
		b.code.scroll.ScrollToOffset(fyne.NewPos(at.X, max(0, to)))
	}
	b.place()
}

// DragEnd is part of fyne.Draggable.
func (b *codeBody) DragEnd() {}

// Cursor is part of desktop.Cursorable.
func (b *codeBody) Cursor() desktop.Cursor { return desktop.TextCursor }

// CreateRenderer is part of fyne.Widget.
func (b *codeBody) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	return codeBodyRenderer{b}
}

type codeBodyRenderer struct{ body *codeBody }

func (r codeBodyRenderer) MinSize() fyne.Size {
	b := r.body
	letter := b.measure()
	return fyne.NewSize(b.gutter()+float32(b.code.widest)*letter.Width+2*codePad, float32(len(b.code.lines))*letter.Height+2*codePad+theme.Size(theme.SizeNameScrollBar))
}

func (r codeBodyRenderer) Layout(fyne.Size) { r.body.place() }

func (r codeBodyRenderer) Refresh() { r.body.place() }

func (r codeBodyRenderer) Objects() []fyne.CanvasObject { return r.body.objects }
func (r codeBodyRenderer) Destroy()                     {}
