package editor

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// body is the scrolled content: as large as the whole text, with the visible lines.
type body struct {
	widget.BaseWidget
	editor     *Editor
	letter     fyne.Size // of every letter
	text, size float32   // of running text, and of letters beside it
	objects    []fyne.CanvasObject
	widest     int // columns of the longest line
	version    int // the version of the text that widest belongs to
	over       int // the line whose mark is explained; -1: none
}

const pad = 6

// colorOf returns the color of a kind.
func colorOf(k Kind) fyne.ThemeColorName {
	return [...]fyne.ThemeColorName{
		theme.ColorNameForeground, kit.ColorSecondary, kit.ColorKeyword, kit.ColorType, kit.ColorNumber, kit.ColorString,
		kit.ColorDirective, kit.ColorDirective,
	}[k]
}

// measure updates the size of letters.
func (b *body) measure() fyne.Size {
	if text := theme.TextSize(); b.text != text {
		b.text, b.size = text, kit.CodeSize(text)
	}
	size := fyne.MeasureText(strings.Repeat("0", 20), b.size, fyne.TextStyle{Monospace: true})
	b.letter = fyne.NewSize(size.Width/20, float32(math.Ceil(float64(size.Height)))+1)
	return b.letter
}

func (b *body) measured() fyne.Size {
	if b.letter.Height == 0 {
		return b.measure()
	}
	return b.letter
}

// digits returns how many digits the largest line number has.
func (b *body) digits() int { return len(strconv.Itoa(b.editor.Doc.Lines())) }

// gutter is the width of the line numbers and the signs of marks before them.
func (b *body) gutter() float32 { return b.signs() + float32(b.digits()+2)*b.letter.Width + pad }

// signs is the width of the signs of marks.
func (b *body) signs() float32 {
	if b.editor.ReadOnly {
		return 0
	}
	return 2 * b.letter.Width
}

// x returns where a column begins, y where a line does.
func (b *body) x(column int) float32 { return b.gutter() + float32(column)*b.letter.Width }
func (b *body) y(line int) float32   { return pad + float32(line)*b.letter.Height }

// place draws the visible lines.
func (b *body) place() {
	b.objects = b.objects[:0]
	view, at, d := b.editor.scroll.Size(), b.editor.scroll.Offset, b.editor.Doc
	letter := b.measured()
	first := max(0, int((at.Y-pad)/letter.Height))
	last := min(d.Lines()-1, int((at.Y+view.Height-pad)/letter.Height))
	columns := [2]int{
		max(0, int((at.X-b.gutter())/letter.Width)),
		max(0, int((at.X+view.Width-b.gutter())/letter.Width)) + 1,
	}
	matches := d.Matches()
	for i := first; i <= last; i++ {
		for len(matches) > 0 && matches[0].From.Line < i {
			matches = matches[1:]
		}
		for k := 0; k < len(matches) && matches[k].From.Line == i; k++ {
			b.fill(i, matches[k], kit.ColorMatch)
		}
		b.line(i, columns)
	}
	b.cursor()
	canvas.Refresh(b)
}

// fill draws the background of a part of a line.
func (b *body) fill(i int, s Span, color fyne.ThemeColorName) {
	line := b.editor.Doc.lines[i]
	from, to := column(line, s.From.Letter), column(line, s.To.Letter)
	b.put(canvas.NewRectangle(theme.Color(color)), b.x(from), b.y(i), float32(to-from)*b.letter.Width, b.letter.Height)
}

func (b *body) put(o fyne.CanvasObject, x, y, width, height float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(width, height))
	b.objects = append(b.objects, o)
}

// line draws line i, in the visible columns: its selection, number, code and marks.
func (b *body) line(i int, columns [2]int) {
	d := b.editor.Doc
	if s := d.Selection(); !s.Empty() && i >= s.From.Line && i <= s.To.Line {
		b.selection(i, s)
	}
	number, color := strconv.Itoa(i+1), kit.ColorSecondary
	if b.editor.focused && !b.editor.ReadOnly && i == d.Cursor().Line {
		color = theme.ColorNameForeground
	}
	b.write(number, b.signs()+pad+float32(b.digits()-len(number))*b.letter.Width, b.y(i), color)
	b.code(i, columns)
	b.mark(i, columns)
}

// selection draws the selected part of line i; the end of a line is as wide as a letter.
func (b *body) selection(i int, s Span) {
	line := b.editor.Doc.lines[i]
	from, to := 0, column(line, len(line))+1
	if i == s.From.Line {
		from = column(line, s.From.Letter)
	}
	if i == s.To.Line {
		to = column(line, s.To.Letter)
	}
	if to > from {
		back := canvas.NewRectangle(theme.Color(theme.ColorNameSelection))
		b.put(back, b.x(from), b.y(i), float32(to-from)*b.letter.Width, b.letter.Height)
	}
}

// code draws the text of line i in the colors of its parts.
func (b *body) code(i int, columns [2]int) {
	d := b.editor.Doc
	line := d.lines[i]
	end := 0
	for _, p := range b.editor.colors.of(d, i) {
		b.run(i, line, part{end, p.from, Plain}, columns)
		b.run(i, line, p, columns)
		end = p.to
	}
	b.run(i, line, part{end, len(line), Plain}, columns)
}

// run draws one part, in the visible columns.
func (b *body) run(i int, line []rune, p part, columns [2]int) {
	if p.from >= p.to {
		return
	}
	start := column(line, p.from)
	if start > columns[1] {
		return
	}
	shown, c := make([]rune, 0, p.to-p.from), start
	for _, r := range line[p.from:p.to] {
		next := past(c, r)
		for ; c < next; c++ {
			if c >= columns[0] && c <= columns[1] {
				shown = append(shown, visible(r))
			}
		}
		if c > columns[1] {
			break
		}
	}
	b.write(string(shown), b.x(max(start, columns[0])), b.y(i), colorOf(p.kind))
}

// visible returns what is drawn for a letter: a dot if it has no shape, or would move the letters around it.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r):
		return '·'
	}
	return r
}

// write draws text, except blank text.
func (b *body) write(s string, x, y float32, color fyne.ThemeColorName) {
	bare := strings.TrimLeft(s, " ")
	if bare == "" {
		return
	}
	t := canvas.NewText(strings.TrimRight(bare, " "), theme.Color(color))
	t.TextStyle.Monospace, t.TextSize = true, b.size
	size := t.MinSize()
	b.put(t, x+float32(len(s)-len(bare))*b.letter.Width, y, size.Width, size.Height)
}

// cursor draws the cursor while the editor has the focus.
func (b *body) cursor() {
	e := b.editor
	if !e.focused || e.ReadOnly {
		return
	}
	p := e.Doc.Cursor()
	b.put(canvas.NewRectangle(theme.Color(theme.ColorNameForeground)), b.x(column(e.Doc.lines[p.Line], p.Letter))-1, b.y(p.Line), 2, b.letter.Height)
}

// extent returns the columns under which a mark is drawn: those of the word at its place, or of the whole line.
func (b *body) extent(i int, m Mark) (from, to int) {
	line := b.editor.Doc.lines[i]
	s := Span{Place{i, len(b.editor.Doc.indentOf(i))}, Place{i, len(line)}}
	if m.Column > 0 {
		s = b.editor.Doc.WordAt(Place{i, letterOfByte(string(line), m.Column-1)})
		if len(line) > 0 && class(line[min(s.From.Letter, len(line)-1)]) == 2 { // a single sign
			s.From.Letter = min(letterOfByte(string(line), m.Column-1), len(line)-1)
			s.To.Letter = s.From.Letter + 1
		}
	}
	from, to = column(line, s.From.Letter), column(line, s.To.Letter)
	return from, max(to, from+1)
}

// wave is the height of the line under a mark, and the width of one of its strokes.
const wave = 2.5

// mark draws the marks of line i: a sign before its number, and a wave under each.
func (b *body) mark(i int, columns [2]int) {
	marks := b.editor.marks[i]
	if len(marks) == 0 {
		return
	}
	warning := true
	for _, m := range marks {
		warning = warning && m.Warning
		from, to := b.extent(i, m)
		b.wave(b.x(max(from, columns[0])), b.x(min(to, columns[1])), b.y(i)+b.letter.Height-wave-0.5, signColor(m.Warning))
	}
	icon := fyne.Resource(theme.NewErrorThemedResource(theme.ErrorIcon()))
	if warning {
		icon = theme.NewWarningThemedResource(theme.WarningIcon())
	}
	side := min(b.letter.Height-2, 2*b.letter.Width)
	b.put(canvas.NewImageFromResource(icon), pad/2, b.y(i)+(b.letter.Height-side)/2, side, side)
}

func signColor(warning bool) fyne.ThemeColorName {
	if warning {
		return theme.ColorNameWarning
	}
	return theme.ColorNameError
}

func (b *body) wave(from, to, y float32, name fyne.ThemeColorName) {
	color := theme.Color(name)
	for up := true; from < to; up = !up {
		l := canvas.NewLine(color)
		l.StrokeWidth = 1.2
		end := min(to, from+wave)
		l.Position1, l.Position2 = fyne.NewPos(from, y+wave), fyne.NewPos(end, y)
		if !up {
			l.Position1, l.Position2 = fyne.NewPos(from, y), fyne.NewPos(end, y+wave)
		}
		b.objects = append(b.objects, l)
		from = end
	}
}

// longest returns the columns of the longest line.
func (b *body) longest() int {
	if d := b.editor.Doc; b.version != d.version {
		b.version, b.widest = d.version, 0
		for _, line := range d.lines {
			b.widest = max(b.widest, column(line, len(line)))
		}
	}
	return b.widest
}

// CreateRenderer is part of fyne.Widget.
func (b *body) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	return bodyRenderer{b}
}

type bodyRenderer struct{ body *body }

func (r bodyRenderer) MinSize() fyne.Size {
	b := r.body
	b.measure()
	return fyne.NewSize(b.x(b.longest()+1)+pad, b.y(b.editor.Doc.Lines())+pad+theme.Size(theme.SizeNameScrollBar))
}

func (r bodyRenderer) Layout(fyne.Size)             { r.body.place() }
func (r bodyRenderer) Refresh()                     { r.body.place() }
func (r bodyRenderer) Objects() []fyne.CanvasObject { return r.body.objects }
func (r bodyRenderer) Destroy()                     {}
