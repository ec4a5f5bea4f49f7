package editor

import "unicode"

// maxMatches is how many places of a query are counted.
const maxMatches = 9_999

// Find looks for a text within lines, ignoring case, and returns how often it occurs.
func (d *Document) Find(query string) int {
	if query == d.query && d.matched == d.version {
		return len(d.matches)
	}
	d.query, d.matched, d.matches = query, d.version, nil
	wanted := folded([]rune(query))
	if len(wanted) == 0 {
		return 0
	}
	for i, line := range d.lines {
		d.matchLine(i, folded(line), wanted)
		if len(d.matches) >= maxMatches {
			break
		}
	}
	return len(d.matches)
}

func (d *Document) matchLine(i int, line, wanted []rune) {
	for at := 0; at+len(wanted) <= len(line) && len(d.matches) < maxMatches; {
		if !same(line[at:at+len(wanted)], wanted) {
			at++
			continue
		}
		d.matches = append(d.matches, Span{Place{i, at}, Place{i, at + len(wanted)}})
		at += len(wanted)
	}
}

// folded returns a text without case, letter by letter.
func folded(text []rune) []rune {
	f := make([]rune, len(text))
	for i, r := range text {
		f[i] = unicode.ToLower(r)
	}
	return f
}

func same(a, b []rune) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Matches returns the places of the query, brought up to date.
func (d *Document) Matches() []Span {
	d.Find(d.query)
	return d.matches
}

// Next selects the next place of the query after the selection, or the one before it, wrapping around the ends of the text. It
// returns its index, from 0; -1: there is none.
func (d *Document) Next(forward bool) int {
	all, s := d.Matches(), d.Selection()
	if len(all) == 0 {
		return -1
	}
	at := -1
	for i, m := range all {
		if forward && at < 0 && !m.From.before(s.To) && !(s.Empty() && m.From.before(s.From)) {
			at = i
		}
		if !forward && m.From.before(s.From) {
			at = i
		}
	}
	if at < 0 && !forward {
		at = len(all) - 1
	}
	at = max(0, at)
	d.Select(all[at].From, all[at].To)
	return at
}

// First selects the first place of the query at or after a place, wrapping around the end of the text; -1: there is none.
func (d *Document) First(from Place) int {
	for i, m := range d.Matches() {
		if !m.From.before(from) {
			d.Select(m.From, m.To)
			return i
		}
	}
	if len(d.matches) == 0 {
		return -1
	}
	d.Select(d.matches[0].From, d.matches[0].To)
	return 0
}
