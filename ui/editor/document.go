// Package editor is a code editor for the window: a text with undo and find that is independent of any window, and the
// widget that shows it with line numbers, colors and error marks.
package editor

import (
	"strings"
)

// Place is a position in a text: before the letter of that index in that line, both from 0.
type Place struct{ Line, Letter int }

func (p Place) before(o Place) bool {
	return p.Line < o.Line || p.Line == o.Line && p.Letter < o.Letter
}

// Span is the text between two places, From no later than To.
type Span struct{ From, To Place }

func spanOf(a, b Place) Span {
	if b.before(a) {
		a, b = b, a
	}
	return Span{a, b}
}

// Empty reports whether there is nothing in it.
func (s Span) Empty() bool { return s.From == s.To }

// Document is a text being edited: lines, a cursor, a selection, and the undo history. The zero value is not usable.
type Document struct {
	lines        [][]rune
	anchor, head Place // ends of the selection; head is the cursor
	undo, redo   []change
	kept         int    // letters in undo
	crlf         bool   // lines end in \r\n outside the editor
	version      int    // counts changes of the text
	goal         int    // column that moving up and down keeps; -1: the cursor's
	query        string // of matches
	matches      []Span
	matched      int // the version of the text that matches belong to
}

// change replaces the text at a place.
type change struct {
	at             Place
	removed, added string
	before, after  [2]Place // anchor and head
	typed          bool     // a letter was typed: it may join the change before it
}

// Limits of the undo history.
const (
	maxChanges = 10_000
	maxKept    = 16 << 20 // letters
)

// NewDocument returns a document with a text.
func NewDocument(text string) *Document {
	d := &Document{}
	d.SetText(text)
	return d
}

// SetText replaces the text and clears the undo history.
func (d *Document) SetText(text string) {
	d.crlf = strings.Contains(text, "\r\n")
	d.lines = split(text)
	d.anchor, d.head, d.goal = Place{}, Place{}, -1
	d.undo, d.redo, d.kept = nil, nil, 0
	d.version++
}

// split splits a text whose lines end in \n or \r\n.
func split(text string) [][]rune {
	var lines [][]rune
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		lines = append(lines, []rune(line))
	}
	return lines
}

// Text returns the whole text, with its original line ends.
func (d *Document) Text() string {
	text := d.between(Span{Place{}, d.End()})
	if d.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// Lines is the number of lines, at least 1.
func (d *Document) Lines() int { return len(d.lines) }

// Line is a line without its end.
func (d *Document) Line(i int) string { return string(d.lines[i]) }

// End is the place after the last letter.
func (d *Document) End() Place {
	last := len(d.lines) - 1
	return Place{last, len(d.lines[last])}
}

// Version changes with the text.
func (d *Document) Version() int { return d.version }

// Cursor is where letters go.
func (d *Document) Cursor() Place { return d.head }

// Selection is the selected text's span; empty at the cursor if there is none.
func (d *Document) Selection() Span { return spanOf(d.anchor, d.head) }

// Selected is the selected text.
func (d *Document) Selected() string { return d.between(d.Selection()) }

// Select selects from one place to another, and leaves the cursor there.
func (d *Document) Select(anchor, head Place) {
	d.anchor, d.head, d.goal = d.clamp(anchor), d.clamp(head), -1
	d.close()
}

// SelectAll selects the whole text.
func (d *Document) SelectAll() { d.Select(Place{}, d.End()) }

// clamp returns the nearest existing place.
func (d *Document) clamp(p Place) Place {
	if p.Line < 0 {
		return Place{}
	}
	if p.Line >= len(d.lines) {
		return d.End()
	}
	return Place{p.Line, max(0, min(p.Letter, len(d.lines[p.Line])))}
}

// between returns the text of a span.
func (d *Document) between(s Span) string {
	if s.From.Line == s.To.Line {
		return string(d.lines[s.From.Line][s.From.Letter:s.To.Letter])
	}
	var b strings.Builder
	b.WriteString(string(d.lines[s.From.Line][s.From.Letter:]))
	for i := s.From.Line + 1; i < s.To.Line; i++ {
		b.WriteByte('\n')
		b.WriteString(string(d.lines[i]))
	}
	b.WriteByte('\n')
	b.WriteString(string(d.lines[s.To.Line][:s.To.Letter]))
	return b.String()
}

// Replace replaces a span with a text and puts the cursor after it. It can be undone.
func (d *Document) Replace(s Span, text string) {
	s = spanOf(d.clamp(s.From), d.clamp(s.To))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	end := after(s.From, text)
	d.do(change{at: s.From, removed: d.between(s), added: text, after: [2]Place{end, end}})
}

// Insert replaces the selection with a text.
func (d *Document) Insert(text string) { d.Replace(d.Selection(), text) }

// Type inserts a letter; letters typed in a row are undone word by word.
func (d *Document) Type(r rune) {
	s := d.Selection()
	end := after(s.From, string(r))
	d.do(change{at: s.From, removed: d.between(s), added: string(r), after: [2]Place{end, end}, typed: true})
}

// do makes a change and keeps it for undo.
func (d *Document) do(c change) {
	if c.removed == c.added {
		d.anchor, d.head = c.after[0], c.after[1]
		return
	}
	c.before = [2]Place{d.anchor, d.head}
	d.apply(c.at, c.removed, c.added)
	d.anchor, d.head = c.after[0], c.after[1]
	d.redo = nil
	if d.joins(c) {
		last := &d.undo[len(d.undo)-1]
		last.added, last.after = last.added+c.added, c.after
	} else {
		d.undo = append(d.undo, c)
	}
	d.kept += len(c.removed) + len(c.added)
	for len(d.undo) > maxChanges || d.kept > maxKept && len(d.undo) > 1 {
		d.kept -= len(d.undo[0].removed) + len(d.undo[0].added)
		d.undo = d.undo[1:]
	}
}

// joins reports whether a change merges with the last: a letter typed right after it, unless a word begins.
func (d *Document) joins(c change) bool {
	if len(d.undo) == 0 || !c.typed || c.removed != "" {
		return false
	}
	last := &d.undo[len(d.undo)-1]
	if !last.typed || last.after[1] != c.at || last.added == "" {
		return false
	}
	return !blank(last.added[len(last.added)-1]) || blank(c.added[0])
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// close ends the word being typed: what follows is undone separately.
func (d *Document) close() {
	if len(d.undo) > 0 {
		d.undo[len(d.undo)-1].typed = false
	}
}

// after returns where a text inserted at a place ends.
func after(at Place, text string) Place {
	last := strings.LastIndexByte(text, '\n')
	if last < 0 {
		return Place{at.Line, at.Letter + len([]rune(text))}
	}
	return Place{at.Line + strings.Count(text, "\n"), len([]rune(text[last+1:]))}
}

// apply replaces the removed text at a place with the added one.
func (d *Document) apply(at Place, removed, added string) {
	to := after(at, removed)
	fresh := split(added)
	head := d.lines[at.Line][:at.Letter]
	tail := d.lines[to.Line][to.Letter:]
	fresh[0] = append(append(make([]rune, 0, len(head)+len(fresh[0])+len(tail)), head...), fresh[0]...)
	fresh[len(fresh)-1] = append(fresh[len(fresh)-1], tail...)
	if n := to.Line - at.Line + 1; n == len(fresh) {
		copy(d.lines[at.Line:], fresh)
	} else {
		lines := make([][]rune, 0, len(d.lines)+len(fresh)-n)
		lines = append(append(lines, d.lines[:at.Line]...), fresh...)
		d.lines = append(lines, d.lines[to.Line+1:]...)
	}
	d.goal = -1
	d.version++
}

// Undo reverts the last change, and reports whether there was one.
func (d *Document) Undo() bool {
	if len(d.undo) == 0 {
		return false
	}
	c := d.undo[len(d.undo)-1]
	d.undo = d.undo[:len(d.undo)-1]
	d.kept -= len(c.removed) + len(c.added)
	d.apply(c.at, c.added, c.removed)
	d.anchor, d.head = c.before[0], c.before[1]
	c.typed = false
	d.redo = append(d.redo, c)
	d.close()
	return true
}

// Redo repeats the change that was undone last, and reports whether there was one.
func (d *Document) Redo() bool {
	if len(d.redo) == 0 {
		return false
	}
	c := d.redo[len(d.redo)-1]
	d.redo = d.redo[:len(d.redo)-1]
	d.apply(c.at, c.removed, c.added)
	d.anchor, d.head = c.after[0], c.after[1]
	d.kept += len(c.removed) + len(c.added)
	d.undo = append(d.undo, c)
	return true
}
