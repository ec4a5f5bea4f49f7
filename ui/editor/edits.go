package editor

import (
	"strings"
	"unicode"
)

// Indent is one step of indentation.
const Indent = "    "

// Step is how far a move or a deletion goes.
type Step int

// Steps, each backward or forward.
const (
	Letter Step = iota
	Word
	LineEnd // to the first letter of the line, then its start; or to its end
	Whole   // to the start or the end of the text
)

// Move moves the cursor, forward or back; with extend the selection follows, otherwise it is cleared.
func (d *Document) Move(s Step, forward, extend bool) {
	sel := d.Selection()
	to := d.stepped(d.head, s, forward)
	if s == Letter && !extend && !sel.Empty() {
		to = sel.From
		if forward {
			to = sel.To
		}
	}
	d.moveTo(to, extend)
}

func (d *Document) moveTo(to Place, extend bool) {
	anchor := d.anchor
	if !extend {
		anchor = to
	}
	d.Select(anchor, to)
}

// MoveLines moves the cursor down, or up if n is negative, at its column.
func (d *Document) MoveLines(n int, extend bool) {
	goal := d.goal
	if goal < 0 {
		goal = column(d.lines[d.head.Line], d.head.Letter)
	}
	to := Place{Line: d.head.Line + n}
	switch {
	case to.Line < 0:
		to = Place{}
	case to.Line >= len(d.lines):
		to = d.End()
	default:
		to.Letter = letterAt(d.lines[to.Line], goal)
	}
	d.moveTo(to, extend)
	d.goal = goal
}

// stepped returns the place one step away.
func (d *Document) stepped(p Place, s Step, forward bool) Place {
	switch s {
	case Word:
		return d.wordStep(p, forward)
	case LineEnd:
		if forward {
			return Place{p.Line, len(d.lines[p.Line])}
		}
		if first := len(d.indentOf(p.Line)); p.Letter != first {
			return Place{p.Line, first}
		}
		return Place{p.Line, 0}
	case Whole:
		if forward {
			return d.End()
		}
		return Place{}
	}
	return d.letterStep(p, forward)
}

func (d *Document) letterStep(p Place, forward bool) Place {
	switch {
	case forward && p.Letter < len(d.lines[p.Line]):
		return Place{p.Line, p.Letter + 1}
	case forward && p.Line+1 < len(d.lines):
		return Place{p.Line + 1, 0}
	case forward:
		return p
	case p.Letter > 0:
		return Place{p.Line, p.Letter - 1}
	case p.Line > 0:
		return Place{p.Line - 1, len(d.lines[p.Line-1])}
	}
	return p
}

// class distinguishes what words are made of: blanks, letters, or signs.
func class(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return 0
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return 1
	}
	return 2
}

// wordStep skips blanks and then one word, within the line or to the next one.
func (d *Document) wordStep(p Place, forward bool) Place {
	line, i := d.lines[p.Line], p.Letter
	if forward {
		if i == len(line) {
			return d.letterStep(p, true)
		}
		for of := class(line[i]); i < len(line) && class(line[i]) == of && of != 0; i++ {
		}
		for i < len(line) && class(line[i]) == 0 {
			i++
		}
		return Place{p.Line, i}
	}
	if i == 0 {
		return d.letterStep(p, false)
	}
	for i > 0 && class(line[i-1]) == 0 {
		i--
	}
	if i > 0 {
		for of := class(line[i-1]); i > 0 && class(line[i-1]) == of; i-- {
		}
	}
	return Place{p.Line, i}
}

// WordAt returns the word, the signs or the blanks around a place.
func (d *Document) WordAt(p Place) Span {
	p = d.clamp(p)
	line := d.lines[p.Line]
	if len(line) == 0 {
		return Span{p, p}
	}
	at := min(p.Letter, len(line)-1)
	from, to := at, at
	for from > 0 && class(line[from-1]) == class(line[at]) {
		from--
	}
	for to < len(line) && class(line[to]) == class(line[at]) {
		to++
	}
	return Span{Place{p.Line, from}, Place{p.Line, to}}
}

// Delete deletes the selection, or a step away from the cursor.
func (d *Document) Delete(s Step, forward bool) {
	sel := d.Selection()
	if sel.Empty() {
		if s == Letter && !forward && d.unindentStep() {
			return
		}
		sel = spanOf(d.head, d.stepped(d.head, s, forward))
	}
	d.Replace(sel, "")
}

// unindentStep deletes a step of indentation before the cursor, and reports whether there was one.
func (d *Document) unindentStep() bool {
	before := string(d.lines[d.head.Line][:d.head.Letter])
	if len(before) == 0 || len(before)%len(Indent) != 0 || strings.Trim(before, " ") != "" {
		return false
	}
	d.Replace(Span{Place{d.head.Line, d.head.Letter - len(Indent)}, d.head}, "")
	return true
}

// indentOf returns the blanks at the beginning of a line.
func (d *Document) indentOf(line int) string {
	text := d.lines[line]
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return string(text[:n])
}

// NewLine breaks the line and keeps its indentation, with one more step after an opening bracket.
func (d *Document) NewLine() {
	at := d.Selection().From
	indent := []rune(d.indentOf(at.Line))
	indent = indent[:min(len(indent), at.Letter)]
	text := "\n" + string(indent)
	if before := strings.TrimRight(string(d.lines[at.Line][:at.Letter]), " \t"); strings.HasSuffix(before, "{") || strings.HasSuffix(before, "(") {
		text += Indent
	}
	d.Insert(text)
}

// Tab inserts blanks up to the next step; with several lines selected it indents them.
func (d *Document) Tab() {
	if s := d.Selection(); s.From.Line != s.To.Line {
		d.eachLine(func(line string) string {
			if line == "" {
				return line
			}
			return Indent + line
		})
		return
	}
	at := d.Selection().From
	n := len(Indent) - column(d.lines[at.Line], at.Letter)%len(Indent)
	d.Insert(Indent[:n])
}

// Unindent removes a step of indentation from the lines of the selection.
func (d *Document) Unindent() {
	d.eachLine(func(line string) string {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			return rest
		}
		n := len(line) - len(strings.TrimLeft(line, " "))
		return line[min(n, len(Indent)):]
	})
}

// ToggleComment turns the lines of the selection into comments or, if all of them are, back into code.
func (d *Document) ToggleComment(mark string) {
	all := true
	s := d.Selection()
	for i := s.From.Line; i <= s.To.Line; i++ {
		line := strings.TrimLeft(d.Line(i), " \t")
		all = all && (line == "" || strings.HasPrefix(line, mark))
	}
	d.eachLine(func(line string) string {
		rest := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(rest)]
		switch {
		case rest == "":
			return line
		case all:
			return indent + strings.TrimPrefix(strings.TrimPrefix(rest, mark), " ")
		}
		return indent + mark + " " + rest
	})
}

// eachLine rewrites the lines of the selection as one change, and keeps them selected.
func (d *Document) eachLine(rewrite func(string) string) {
	s := d.Selection()
	last := s.To.Line
	if last > s.From.Line && s.To.Letter == 0 {
		last-- // nothing of it is selected
	}
	var lines []string
	for i := s.From.Line; i <= last; i++ {
		lines = append(lines, rewrite(d.Line(i)))
	}
	from, to := Place{s.From.Line, 0}, Place{last, len(d.lines[last])}
	text, single := strings.Join(lines, "\n"), s.From.Line == s.To.Line
	moved := len([]rune(lines[0])) - len(d.lines[s.From.Line])
	end := after(from, text)
	c := change{at: from, removed: d.between(Span{from, to}), added: text, after: [2]Place{from, end}}
	if single {
		shift := func(p Place) Place { return Place{p.Line, max(0, p.Letter+moved)} }
		c.after = [2]Place{shift(d.anchor), shift(d.head)}
	}
	d.do(c)
	d.Select(c.after[0], c.after[1])
}

// tabWidth is the distance of tab stops, in columns.
const tabWidth = 4

// column returns where a letter of a line is shown, with tabs as blanks.
func column(line []rune, letter int) int {
	c := 0
	for _, r := range line[:letter] {
		c = past(c, r)
	}
	return c
}

// past returns the column after a letter at a column.
func past(c int, r rune) int {
	if r == '\t' {
		return c + tabWidth - c%tabWidth
	}
	return c + 1
}

// letterAt returns the letter of a line that is nearest to a column.
func letterAt(line []rune, col int) int {
	c := 0
	for i, r := range line {
		next := past(c, r)
		if col < next {
			if col-c > next-col {
				return i + 1
			}
			return i
		}
		c = next
	}
	return len(line)
}

// Change replaces the text, as one change of the part that differs. The cursor stays where it was.
func (d *Document) Change(text string) {
	old, fresh := []rune(d.between(Span{Place{}, d.End()})), []rune(strings.ReplaceAll(text, "\r\n", "\n"))
	from := 0
	for from < len(old) && from < len(fresh) && old[from] == fresh[from] {
		from++
	}
	end := 0
	for end < len(old)-from && end < len(fresh)-from && old[len(old)-1-end] == fresh[len(fresh)-1-end] {
		end++
	}
	at := after(Place{}, string(old[:from]))
	d.do(change{at: at, removed: string(old[from : len(old)-end]), added: string(fresh[from : len(fresh)-end]), after: [2]Place{at, at}})
	d.close()
}
