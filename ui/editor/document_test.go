package editor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// model is a text edited in the plain way, for comparison.
type model struct{ text string }

// offset returns the byte offset of a place.
func (m *model) offset(p Place) int {
	lines := strings.Split(m.text, "\n")
	n := p.Line
	for _, l := range lines[:p.Line] {
		n += len(l)
	}
	return n + len(string([]rune(lines[p.Line])[:p.Letter]))
}

func (m *model) replace(s Span, text string) {
	a, b := m.offset(s.From), m.offset(s.To)
	m.text = m.text[:a] + text + m.text[b:]
}

// FuzzDocument edits a document and a plain string alike; then it undoes everything, and redoes it.
func FuzzDocument(f *testing.F) {
	f.Add("kernel void f() {\n\treturn;\n}\n", uint64(1))
	f.Add("", uint64(2))
	f.Add("é×\n\n64 × 64", uint64(3))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r", ""), "")
		d, m := NewDocument(text), &model{text}
		r := rand.New(rand.NewPCG(seed, 7))
		for range 60 {
			edit(d, m, r)
			if got := d.Text(); got != m.text {
				t.Fatalf("the text is %q, want %q", got, m.text)
			}
			if c := d.Cursor(); d.clamp(c) != c {
				t.Fatalf("the cursor is at %v of %q", c, m.text)
			}
		}
		for d.Undo() {
		}
		if got := d.Text(); got != text {
			t.Fatalf("after undoing all it is %q, want %q", got, text)
		}
		for d.Redo() {
		}
		if got := d.Text(); got != m.text {
			t.Fatalf("after redoing all it is %q, want %q", got, m.text)
		}
	})
}

// edit makes one random edit to both.
func edit(d *Document, m *model, r *rand.Rand) {
	spot := func() Place {
		line := r.IntN(d.Lines())
		return Place{line, r.IntN(len(d.lines[line]) + 1)}
	}
	switch r.IntN(8) {
	case 0, 1:
		letter := []rune("ab {×\t")[r.IntN(6)]
		m.replace(d.Selection(), string(letter))
		d.Type(letter)
	case 2:
		text := []string{"x", "one\ntwo", "\n", "a\n\nb\n", ""}[r.IntN(5)]
		m.replace(d.Selection(), text)
		d.Insert(text)
	case 3:
		d.Select(spot(), spot())
	case 4:
		d.Move(Step(r.IntN(4)), r.IntN(2) == 0, r.IntN(2) == 0)
	case 5:
		d.MoveLines(r.IntN(5)-2, r.IntN(2) == 0)
	case 6:
		sel := d.Selection()
		if sel.Empty() {
			d.Select(spot(), spot())
			sel = d.Selection()
		}
		m.replace(sel, "")
		d.Delete(Word, true)
		if sel.Empty() {
			m.text = d.Text()
		}
	case 7:
		if d.Undo() {
			m.text = d.Text()
			if d.Redo() && r.IntN(2) == 0 {
				d.Undo()
			}
			m.text = d.Text()
		}
	}
}

func TestTypingIsUndoneByWords(t *testing.T) {
	d := NewDocument("")
	for _, r := range "float sum = 0;" {
		d.Type(r)
	}
	var steps []string
	for d.Undo() {
		steps = append(steps, d.Text())
	}
	if got := strings.Join(steps, "|"); got != "float sum = |float sum |float |" {
		t.Errorf("undone to %q", got)
	}
	d.Redo()
	d.Type('!')
	if d.Redo() {
		t.Error("redo is possible after an edit")
	}
}

func TestLineEndsAreKept(t *testing.T) {
	const text = "one\r\ntwo\r\n"
	d := NewDocument(text)
	if d.Lines() != 3 || d.Line(0) != "one" || d.Text() != text {
		t.Errorf("%d lines, %q", d.Lines(), d.Text())
	}
	d.Insert("zero\r\n")
	if got := d.Text(); got != "zero\r\n"+text {
		t.Errorf("%q", got)
	}
}

// at puts the cursor where | is in the text, and selects up to a second one.
func at(text string) *Document {
	d := NewDocument(strings.ReplaceAll(text, "|", ""))
	before, rest, _ := strings.Cut(text, "|")
	from := after(Place{}, before)
	to := from
	if inner, _, ok := strings.Cut(rest, "|"); ok {
		to = after(from, inner)
	}
	d.Select(from, to)
	return d
}

// marked returns the text with | at the ends of the selection.
func marked(d *Document) string {
	s := d.Selection()
	mark := "|"
	text := d.between(Span{Place{}, s.From}) + mark + d.between(s)
	if !s.Empty() {
		text += mark
	}
	return text + d.between(Span{s.To, d.End()})
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name, from, want string
		do               func(d *Document)
	}{
		{"return after a brace", "  if (x) {|}", "  if (x) {\n      |}", (*Document).NewLine},
		{"return", "  a;|", "  a;\n  |", (*Document).NewLine},
		{"return at the start", "|  a;", "\n|  a;", (*Document).NewLine},
		{"tab", "a|b", "a   |b", (*Document).Tab},
		{"tab at a stop", "abcd|e", "abcd    |e", (*Document).Tab},
		{"tab over lines", "a|\n\nb|", "|    a\n\n    b|", (*Document).Tab},
		{"unindent", "    a|b", "a|b", (*Document).Unindent},
		{"unindent a tab", "\ta|b", "a|b", (*Document).Unindent},
		{"unindent lines", "|      a\n  b|", "|  a\nb|", (*Document).Unindent},
		{"comment", "  a|b", "  // a|b", func(d *Document) { d.ToggleComment("//") }},
		{"uncomment", "|  // a\n//b|", "|  a\nb|", func(d *Document) { d.ToggleComment("//") }},
		{"backspace in the indentation", "        |x", "    |x", func(d *Document) { d.Delete(Letter, false) }},
		{"backspace", "ab|c", "a|c", func(d *Document) { d.Delete(Letter, false) }},
		{"backspace at the start", "a\n|b", "a|b", func(d *Document) { d.Delete(Letter, false) }},
		{"delete", "a|\nb", "a|b", func(d *Document) { d.Delete(Letter, true) }},
		{"delete a word", "a |foo(x)", "a |(x)", func(d *Document) { d.Delete(Word, true) }},
		{"delete a word back", "a foo_1  |(x)", "a |(x)", func(d *Document) { d.Delete(Word, false) }},
		{"word", "|foo += 1", "foo |+= 1", func(d *Document) { d.Move(Word, true, false) }},
		{"word at the end", "a|\nb", "a\n|b", func(d *Document) { d.Move(Word, true, false) }},
		{"home", "  ab|", "  |ab", func(d *Document) { d.Move(LineEnd, false, false) }},
		{"home again", "  |ab", "|  ab", func(d *Document) { d.Move(LineEnd, false, false) }},
		{"select to the end", "a|b\nc", "a|b\nc|", func(d *Document) { d.Move(Whole, true, true) }},
		{"left ends the selection", "a|bc|d", "a|bcd", func(d *Document) { d.Move(Letter, false, false) }},
		{"right ends the selection", "a|bc|d", "abc|d", func(d *Document) { d.Move(Letter, true, false) }},
		{"change", "a b| c", "a |xx c", func(d *Document) { d.Change("a xx c") }},
		{"change nothing", "a |b", "a b|", func(d *Document) { d.Change("a b") }},
		{"down at a tab", "abcde|f\n\tx", "abcdef\n\tx|", func(d *Document) { d.MoveLines(1, false) }},
		{"down beyond the end", "a|b", "ab|", func(d *Document) { d.MoveLines(5, false) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := at(c.from)
			before := d.Text()
			c.do(d)
			if got := marked(d); got != c.want {
				t.Errorf("%q becomes %q, want %q", c.from, got, c.want)
			}
			if d.Text() != before {
				if d.Undo(); d.Text() != before {
					t.Errorf("undone to %q, want %q", d.Text(), before)
				}
			}
		})
	}
}

// The column is kept across shorter lines.
func TestColumnIsKept(t *testing.T) {
	d := at("abcdef|\na\nabcdefgh")
	d.MoveLines(1, false)
	if got := marked(d); got != "abcdef\na|\nabcdefgh" {
		t.Error(got)
	}
	d.MoveLines(1, false)
	if got := marked(d); got != "abcdef\na\nabcdef|gh" {
		t.Error(got)
	}
}

func TestFind(t *testing.T) {
	d := NewDocument("Float a;\nfloat4 b, c = float4(1);\n")
	if n := d.Find("FLOAT"); n != 3 {
		t.Fatalf("%d places, want 3", n)
	}
	var got []string
	for _, forward := range []bool{true, true, true, false, false, true} {
		got = append(got, fmt.Sprint(d.Next(forward), d.Selection().From))
	}
	if want := "[0 {0 0} 1 {1 0} 2 {1 14} 1 {1 0} 0 {0 0} 1 {1 0}]"; fmt.Sprint(got) != want {
		t.Errorf("went to %v, want %s", got, want)
	}
	d.Insert("half")
	if n := len(d.Matches()); n != 2 {
		t.Errorf("%d places after one was replaced, want 2", n)
	}
	if d.Find("double") != 0 || d.Next(true) != -1 || d.Find("") != 0 || d.First(Place{}) != -1 {
		t.Error("what is not there was found")
	}
	if d.Find("float"); d.First(Place{1, 5}) != 1 || d.First(Place{2, 0}) != 0 {
		t.Errorf("first after a place: %v", d.Selection())
	}
}

// FuzzFind finds what a plain search finds in ASCII texts.
func FuzzFind(f *testing.F) {
	f.Add("aaa\naAb", "a")
	f.Add("a\nb", "\n")
	f.Fuzz(func(t *testing.T, text, query string) {
		for _, s := range []string{text, query} {
			if strings.ContainsFunc(s, func(r rune) bool { return r > 126 || r == '\r' }) {
				t.Skip("ASCII")
			}
		}
		want := 0
		for line := range strings.SplitSeq(strings.ToLower(text), "\n") {
			if query != "" && !strings.Contains(query, "\n") {
				want += strings.Count(line, strings.ToLower(query))
			}
		}
		d := NewDocument(text)
		if got := d.Find(query); got != min(want, maxMatches) {
			t.Fatalf("%q is in %q %d times, want %d", query, text, got, want)
		}
		for _, m := range d.Matches() {
			if got := d.between(m); !strings.EqualFold(got, query) {
				t.Fatalf("%q was found for %q", got, query)
			}
		}
	})
}
