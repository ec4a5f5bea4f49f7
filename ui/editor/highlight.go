package editor

import (
	"slices"
	"strings"
)

// Kind is what a part of code is.
type Kind uint8

// Kinds of parts.
const (
	Plain Kind = iota
	Comment
	Keyword
	Type
	Number
	String
	Directive
	Attribute
)

// Language says how to distinguish the parts of a text.
type Language struct {
	Line        string   // begins a comment up to the end of the line
	Open, Close string   // of a multiline comment; empty: none
	Directive   string   // begins a preprocessor line; empty: none
	Attributes  bool     // between [[ and ]]
	Quotes      string   // letters around strings
	Triple      bool     // triple quotes delimit multiline strings
	Keywords    []string // sorted
	Types       []string // sorted
	Vectors     []string // types that a digit, or two with x between them, may follow; sorted
}

// part is a piece of a line of one kind, by its letters.
type part struct {
	from, to int
	kind     Kind
}

// state is the state at the beginning of a line: 0 code, 1 a comment, otherwise a multiline string with that quote.
type state rune

const (
	inCode    state = 0
	inComment state = 1
)

// scan finds the parts of a line that begins in a state, and the state it ends in. Plain parts are left out.
func (l *Language) scan(line []rune, in state) (parts []part, out state) {
	s := &scanner{language: l, line: line}
	switch in {
	case inCode:
	case inComment:
		s.comment(0)
	default:
		s.long(0, rune(in))
	}
	if s.out == inCode && s.at == 0 && l.Directive != "" && strings.HasPrefix(strings.TrimLeft(string(line), " \t"), l.Directive) {
		s.directive()
	}
	for s.at < len(line) {
		s.next()
	}
	return s.parts, s.out
}

// scanner scans one line.
type scanner struct {
	language *Language
	line     []rune
	at       int
	parts    []part
	out      state
}

func (s *scanner) add(from, to int, k Kind) {
	s.parts = append(s.parts, part{from, to, k})
	s.at = to
}

// has reports whether a text comes next.
func (s *scanner) has(text string) bool { return text != "" && s.hasAt(s.at, text) }

func (s *scanner) hasAt(at int, text string) bool {
	for _, r := range text {
		if at >= len(s.line) || s.line[at] != r {
			return false
		}
		at++
	}
	return true
}

// next takes one token, or a letter that is not part of one.
func (s *scanner) next() {
	l, r := s.language, s.line[s.at]
	switch {
	case s.has(l.Line):
		s.add(s.at, len(s.line), Comment)
	case s.has(l.Open):
		s.comment(s.at)
	case l.Attributes && s.has("[["):
		s.attribute()
	case strings.ContainsRune(l.Quotes, r):
		s.quoted(r)
	case digit(r) || r == '.' && s.at+1 < len(s.line) && digit(s.line[s.at+1]):
		s.number()
	case class(r) == 1:
		s.word()
	default:
		s.at++
	}
}

// comment takes a multiline comment that begins, or continues, at a letter.
func (s *scanner) comment(from int) {
	at := from
	if s.hasAt(at, s.language.Open) {
		at += len(s.language.Open)
	}
	for ; at < len(s.line); at++ {
		if s.hasAt(at, s.language.Close) {
			s.add(from, at+len(s.language.Close), Comment)
			s.out = inCode
			return
		}
	}
	s.out = inComment
	s.add(from, len(s.line), Comment)
}

// long takes a multiline string from a letter within it.
func (s *scanner) long(from int, quote rune) {
	mark := strings.Repeat(string(quote), 3)
	for at := from; at < len(s.line); at++ {
		if s.hasAt(at, mark) && at >= s.at {
			s.add(from, at+3, String)
			s.out = inCode
			return
		}
	}
	s.out = state(quote)
	s.add(from, len(s.line), String)
}

func (s *scanner) quoted(quote rune) {
	from := s.at
	if s.language.Triple && s.has(strings.Repeat(string(quote), 3)) {
		s.at += 3
		s.long(from, quote)
		return
	}
	for at := from + 1; at < len(s.line); at++ {
		switch s.line[at] {
		case '\\':
			at++
		case quote:
			s.add(from, at+1, String)
			return
		}
	}
	s.add(from, len(s.line), String)
}

func (s *scanner) attribute() {
	for at := s.at; at < len(s.line); at++ {
		if s.hasAt(at, "]]") {
			s.add(s.at, at+2, Attribute)
			return
		}
	}
	s.add(s.at, len(s.line), Attribute)
}

// directive takes the name of a directive, or everything up to a comment if a file name follows.
func (s *scanner) directive() {
	from := len(s.line) - len([]rune(strings.TrimLeft(string(s.line), " \t")))
	to := from + 1
	for to < len(s.line) && (s.line[to] == ' ' || class(s.line[to]) == 1) {
		if s.line[to] == ' ' && to > from+1 && class(s.line[to-1]) == 1 {
			break
		}
		to++
	}
	s.add(from, to, Directive)
	if strings.HasSuffix(string(s.line[from:to]), "include") {
		for at := s.at; at < len(s.line); at++ {
			if s.line[at] == '<' {
				end := slices.Index(s.line[at:], '>')
				if end > 0 {
					s.add(at, at+end+1, String)
				}
				return
			}
		}
	}
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// number takes a number with its point, exponent and suffix.
func (s *scanner) number() {
	to := s.at
	for to < len(s.line) {
		r := s.line[to]
		sign := (r == '+' || r == '-') && to > s.at && strings.ContainsRune("eEpP", s.line[to-1]) && (s.line[to-1] != 'e' && s.line[to-1] != 'E' || !s.hasAt(s.at, "0x"))
		if !sign && r != '.' && class(r) != 1 {
			break
		}
		to++
	}
	s.add(s.at, to, Number)
}

func (s *scanner) word() {
	to := s.at
	for to < len(s.line) && class(s.line[to]) == 1 {
		to++
	}
	switch kind := s.language.kindOf(string(s.line[s.at:to])); kind {
	case Plain:
		s.at = to
	default:
		s.add(s.at, to, kind)
	}
}

// kindOf returns the kind of a word.
func (l *Language) kindOf(word string) Kind {
	if _, ok := slices.BinarySearch(l.Keywords, word); ok {
		return Keyword
	}
	if _, ok := slices.BinarySearch(l.Types, word); ok {
		return Type
	}
	base := strings.TrimRight(word, "234")
	if cut, ok := strings.CutSuffix(base, "x"); ok && len(word)-len(base) == 1 {
		base = strings.TrimRight(cut, "234")
	}
	if _, ok := slices.BinarySearch(l.Vectors, base); ok && len(word)-len(base) <= 3 {
		return Type
	}
	return Plain
}

// highlights caches the states at the beginnings of lines, up to the first line that changed.
type highlights struct {
	language *Language
	starts   []state // of lines, as far as known
	version  int
}

// of finds the parts of a line.
func (h *highlights) of(d *Document, line int) []part {
	if h.language == nil {
		return nil
	}
	if h.version != d.version {
		h.version, h.starts = d.version, append(h.starts[:0], inCode)
	}
	for len(h.starts) <= line {
		i := len(h.starts) - 1
		_, out := h.language.scan(d.lines[i], h.starts[i])
		h.starts = append(h.starts, out)
	}
	parts, _ := h.language.scan(d.lines[line], h.starts[line])
	return parts
}
