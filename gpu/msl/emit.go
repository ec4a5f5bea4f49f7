package msl

import (
	"sort"
	"strconv"
	"strings"
)

// Text is the emitted text of a unit, with the place in the source that each part comes from.
type Text struct {
	text  string
	lines [][]mark // of each line: which token is where
}

// String is the C++ text.
func (t *Text) String() string { return t.text }

type mark struct {
	col   int // from 1, in bytes
	token int
}

// maxColumn is where a long line is broken: sites hold 12 bits of column.
const maxColumn = 400

// writer writes tokens on the same lines as in the source.
type writer struct {
	b     strings.Builder
	lines [][]mark
	col   int
}

func (w *writer) newline() {
	w.b.WriteByte('\n')
	w.lines = append(w.lines, nil)
	w.col = 0
}

func (w *writer) write(s string, tok int) {
	if s == "" {
		return
	}
	last := len(w.lines) - 1
	w.lines[last] = append(w.lines[last], mark{w.col + 1, tok})
	w.b.WriteString(s)
	w.col += len(s)
	for i := strings.IndexByte(s, '\n'); i >= 0; i = strings.IndexByte(s, '\n') {
		s = s[i+1:]
		w.lines = append(w.lines, []mark{{1, tok}})
		w.col = len(s)
	}
}

// emit writes the C++ text: the beginning, the tokens, each followed by the code inserted after it, and the end.
func (u *Unit) emit(first string, inserted map[int][]string, last string) Text {
	if u.include != "" {
		first = "#include " + strconv.Quote(u.include) + "\n" + first
	}
	if len(u.tokens) == 0 { // there is no place to lead back to
		return Text{text: first + "\n" + last}
	}
	w := &writer{lines: [][]mark{nil}}
	w.write(first, 0)
	for i := range u.tokens {
		t := &u.tokens[i]
		if (t.newline || w.col > maxColumn) && w.col > 0 {
			w.newline()
		} else if t.space || t.drop {
			w.write(" ", i)
		}
		w.write(t.before, i)
		if !t.drop {
			w.write(t.output(), i)
		}
		w.write(t.after, i)
		for _, s := range inserted[i] {
			w.write(s, i)
		}
	}
	w.newline()
	return Text{w.b.String() + last, w.lines}
}

// find returns the token at a line and column of the text, -1 if there is none.
func (t *Text) find(line, col int) int {
	if line < 1 || line > len(t.lines) {
		return -1
	}
	marks := t.lines[line-1]
	i := sort.Search(len(marks), func(i int) bool { return marks[i].col > col })
	if i == 0 {
		if len(marks) == 0 {
			return -1
		}
		return marks[0].token
	}
	return marks[i-1].token
}

// EmitChecks is the text with probes of the chosen entries, so that the compiler checks them; nil chooses all.
func (u *Unit) EmitChecks(t Target, chosen []int) Text {
	if chosen == nil {
		chosen = upTo(len(u.entries))
	}
	probes, names := map[int][]string{}, map[string]string{}
	var first strings.Builder
	for _, i := range chosen {
		e := u.entries[i]
		list := strings.Join(e.kinds, ", ")
		fetch, known := names[list]
		if !known {
			fetch = "from_" + itoa(len(names))
			names[list] = fetch
			first.WriteString(t.Fetch(fetch, e.kinds))
		}
		probes[e.after] = append(probes[e.after], t.Probe("msl_check_"+itoa(i), fetch, e.expr))
	}
	return u.emit("namespace msl { "+first.String()+"}\n", probes, "")
}

// EmitCalls is the text with a call of every entry. It finds errors in fetching arguments, which probes of kernels of the same
// type share.
func (u *Unit) EmitCalls(t Target) Text {
	calls := map[int][]string{}
	for i, e := range u.entries {
		calls[e.after] = append(calls[e.after], t.Call("msl_check_"+itoa(i), e.expr, e.kinds))
	}
	return u.emit("", calls, "")
}

// EmitEntry is the text of one entry point, by its index in Entries, under a symbol. It begins with `first`.
func (u *Unit) EmitEntry(t Target, index int, symbol, first string) Text {
	const name = "msl_call_entry"
	e := u.entries[index]
	return u.emit(first, map[int][]string{e.after: {t.Call(name, e.expr, e.kinds)}}, t.Export(symbol, e.within(name)))
}

// EmitEntries is the text of several entry points, each under a symbol of its own. It begins with `first`.
func (u *Unit) EmitEntries(t Target, chosen []int, symbol func(int) string, first string) Text {
	calls := map[int][]string{}
	var last strings.Builder
	for _, i := range chosen {
		e, name := u.entries[i], "msl_call_entry_"+itoa(i)
		calls[e.after] = append(calls[e.after], t.Call(name, e.expr, e.kinds))
		last.WriteString(t.Export(symbol(i), e.within(name)))
	}
	return u.emit(first, calls, last.String())
}

// within is a name in the namespace of the entry.
func (e *entry) within(name string) string {
	path := "::"
	for _, p := range e.path {
		path += p + "::"
	}
	return path + name
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Knows reports whether a position in the text comes from the source.
func (t *Text) Knows(line, column int) bool { return t.find(line, column) >= 0 }

// Place is the place in the source of a position in the emitted text. It returns false if that is not known.
func (u *Unit) Place(t *Text, line, column int) (Place, bool) {
	i := t.find(line, column)
	if i < 0 {
		return Place{File: u.name}, false
	}
	p := u.tokens[i].at
	return Place{p.file, p.line, p.col}, true
}
