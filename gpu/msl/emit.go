package msl

import (
	"sort"
	"strings"
)

// output is the translated text and, for each of its lines, which token stands where.
type output struct {
	text  string
	lines [][]mark
}

type mark struct {
	col   int // from 1, in bytes
	token int
}

// maxColumn is where a long line is broken: sites hold 12 bits of column.
const maxColumn = 400

// writer lays tokens out as the source does, as far as lines go.
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

// emit writes the C++ text: what comes first, then the tokens, each with the trampolines that go behind it.
func (u *unit) emit(first string, trampolines map[int][]string) output {
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
		for _, s := range trampolines[i] {
			w.write(s, i)
		}
	}
	w.newline()
	return output{w.b.String(), w.lines}
}

// find returns the token at a line and column of the text, -1 if there is none.
func (o *output) find(line, col int) int {
	if line < 1 || line > len(o.lines) {
		return -1
	}
	marks := o.lines[line-1]
	i := sort.Search(len(marks), func(i int) bool { return marks[i].col > col })
	if i == 0 {
		if len(marks) == 0 {
			return -1
		}
		return marks[0].token
	}
	return marks[i-1].token
}

// trampoline is the code that takes an entry's arguments from the executor and calls the kernel.
func (e *entry) trampoline(name string) string {
	args := append([]string{e.expr}, e.kinds...)
	return " static inline void " + name + "(const ::msl_call *c) { ::msl::invoke<" + strings.Join(args, ", ") + ">(c); } "
}

// probe is the code that checks what a trampoline of the entry would compile, and costs less. from is a name for where the
// arguments come from.
func (e *entry) probe(name, from string) string {
	return " static const int " + name + " = ::msl::" + from + "::call(" + e.expr + "); "
}

// forCheck is the text in which the entries chosen are used, so that they are compiled; nil chooses all.
func (u *unit) forCheck(chosen []int) output {
	if chosen == nil {
		chosen = upTo(len(u.entries))
	}
	probes, names := map[int][]string{}, map[string]string{}
	var kinds strings.Builder
	for _, i := range chosen {
		e := u.entries[i]
		list := strings.Join(e.kinds, ", ")
		from, known := names[list]
		if !known {
			from = "from_" + itoa(len(names))
			names[list] = from
			kinds.WriteString("using " + from + " = from<" + list + ">; ")
		}
		probes[e.after] = append(probes[e.after], e.probe("msl_check_"+itoa(i), from))
	}
	return u.emit("namespace msl { "+kinds.String()+"}\n", probes)
}

// forMessages is the text in which every entry is called, for errors in how arguments are fetched: probes share those of
// kernels of one type.
func (u *unit) forMessages() output {
	t := map[int][]string{}
	for i, e := range u.entries {
		t[e.after] = append(t[e.after], e.trampoline("msl_check_"+itoa(i)))
	}
	return u.emit("", t)
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// forEntry is the text in which one entry is called.
func (u *unit) forEntry(e *entry) output {
	o := u.emit("", map[int][]string{e.after: {e.trampoline("msl_call_entry")}})
	path := "::"
	for _, p := range e.path {
		path += p + "::"
	}
	o.text += `extern "C" __attribute__((visibility("default"))) void msl_entry(const ::msl_call *c) { ` + path + "msl_call_entry(c); }\n"
	return o
}
