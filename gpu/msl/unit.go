package msl

import (
	"fmt"
	"slices"
	"strings"
)

// Unit is one translation unit between tokens and C++. Its text is emitted for a target, and positions in the text map to the
// source.
type Unit struct {
	name    string // of the source file
	tokens  Tokens
	library map[string]bool     // names in the language's headers
	attrs   map[int][]attribute // by the index of the first bracket
	shut    map[int]int         // from the first to the last bracket of an attribute list

	values    map[string]int64 // enumerators and integer constants of the program
	constants []functionConstant
	functions []*function
	kernels   map[string][]*function // templates and plain ones, by name without namespace
	structs   map[string]bool        // names of the classes that the program defines
	classes   map[string]bool        // those of structs that depend on no template, and enumerations
	aliases   map[string]span        // types that typedef and using give names to
	vague     map[string]bool        // names of types that may have another meaning in places
	refused   map[int]bool           // tokens of kernel arguments that were refused
	entries   []*entry
	diags     []Diagnostic        // at most maxErrors
	seen      map[Diagnostic]bool // what was reported, more than diags
	tensors   bool                // a header of tensors was included
	include   string              // a header that the text begins with; empty: none
}

// span is a range of tokens.
type span struct{ lo, hi int }

func (s span) empty() bool { return s.lo >= s.hi }

// scope is the scope of a declaration: its namespaces and, if it is a member, its class.
type scope struct {
	path    []string // named namespaces, from the outermost
	class   string   // the class; empty at namespace scope
	members map[string]bool

	templated bool // it is that of a template, or within one
}

type functionConstant struct {
	Constant
	asked bool // is_function_constant_defined occurs
}

// function is a definition of the program.
type function struct {
	name      string
	at        int // the token of the name
	scope     *scope
	templates []span // parameters of its template headers
	attrs     []attribute
	params    span // within the parentheses
	body      span // within the braces
	result    span // specifiers and return type
	member    bool
	kernel    bool
}

// entry is one entry point: its name and the kernel function.
type entry struct {
	Entry
	kernel       *function
	expr         string // the address of the function, as its namespace sees it
	bare, cast   string // of an instance: what follows the unqualified name, and a cast that selects an overload
	arguments    []span // template arguments, where it is an instance
	argumentText []string
	path         []string
	after        int // the token after which the trampoline is inserted
	kinds        []string
	at           int // the token it is reported at
}

func newUnit(name string, tokens Tokens) *Unit {
	return &Unit{
		name: name, tokens: tokens, attrs: map[int][]attribute{}, shut: map[int]int{}, values: map[string]int64{},
		kernels: map[string][]*function{}, structs: map[string]bool{},
		classes: map[string]bool{}, aliases: map[string]span{}, vague: map[string]bool{}, refused: map[int]bool{},
		seen: map[Diagnostic]bool{},
	}
}

// errorf records an error at token i.
func (u *Unit) errorf(i int, format string, args ...any) {
	d := Diagnostic{File: u.name, Severity: "error", Message: Printable(fmt.Sprintf(format, args...))}
	if i >= 0 && i < len(u.tokens) {
		p := u.tokens[i].at
		d.File, d.Line, d.Column = p.file, p.line, p.col
	}
	if !u.seen[d] && len(u.diags) < maxErrors {
		u.diags = append(u.diags, d)
	}
	u.seen[d] = true
}

// maxErrors is how many errors of one source are reported; of others only the number.
const maxErrors = 100

// failure is the error for what was reported; nil if nothing was.
func (u *Unit) failure() error {
	if len(u.diags) == 0 {
		return nil
	}
	return &CompileError{Diagnostics: u.diags, More: len(u.seen) - len(u.diags)}
}

// text returns the text of token i, and "" outside of the file.
func (u *Unit) text(i int) string {
	if i < 0 || i >= len(u.tokens) {
		return ""
	}
	return u.tokens[i].text
}

// next is the first token from i on that was not dropped.
func (u *Unit) next(i int) int {
	for i < len(u.tokens) && u.tokens[i].drop {
		i++
	}
	return i
}

// prev is the last token up to i that was not dropped, -1 if there is none.
func (u *Unit) prev(i int) int {
	for i >= 0 && u.tokens[i].drop {
		i--
	}
	return i
}

// past skips token i, and everything up to the closing bracket if it is an opening one.
func (u *Unit) past(i int) int {
	if m := u.tokens[i].match; m > i {
		return m + 1
	}
	return i + 1
}

// lookahead is the maximum number of tokens to look ahead.
const lookahead = 4096

// angle returns the index after the > that closes the < at i, or 0 if it closes nothing before hi.
func (u *Unit) angle(i, hi int) int {
	depth := 0
	for j, left := i, lookahead; j < hi && left > 0; j, left = u.past(j), left-1 {
		switch u.tokens[j].text {
		case "<":
			depth++
		case ">":
			depth--
		case ">>":
			depth -= 2
		case ";", "{", "}", ")", "]":
			return 0
		}
		if depth <= 0 {
			return j + 1
		}
	}
	return 0
}

// dropSpan removes tokens from the output.
func (u *Unit) dropSpan(lo, hi int) {
	for i := lo; i < hi; i++ {
		u.tokens[i].drop = true
	}
}

// split divides a span at its commas, except those within brackets and template arguments.
func (u *Unit) split(s span) []span {
	var parts []span
	lo := s.lo
	for i := s.lo; i < s.hi; {
		if u.tokens[i].is("<") && i > s.lo && u.tokens[i-1].word() {
			if j := u.angle(i, s.hi); j > 0 {
				i = j
				continue
			}
		}
		if u.tokens[i].is(",") {
			parts = append(parts, span{lo, i})
			lo = i + 1
		}
		i = u.past(i)
	}
	if lo < s.hi || len(parts) > 0 {
		parts = append(parts, span{lo, s.hi})
	}
	return parts
}

// render is the C++ text of a span, with the edits made so far.
func (u *Unit) render(s span) string {
	var b strings.Builder
	for i := s.lo; i < s.hi; i++ {
		t := &u.tokens[i]
		b.WriteString(t.before)
		if !t.drop {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(t.output())
		}
		b.WriteString(t.after)
	}
	return b.String()
}

// output is the token's text after the edits: keywords and literals that only the language has are spelled differently in C++.
func (t *token) output() string {
	switch {
	case t.replace != "":
		return t.replace
	case t.kind == "numeric_constant":
		return literal(t.text)
	case !t.identifier():
		return t.text
	}
	switch t.text {
	case "thread":
		return ""
	case "device":
		return "MSL_DEVICE"
	case "constant":
		return "MSL_CONSTANT"
	case "threadgroup":
		return "MSL_THREADGROUP"
	}
	return t.text
}

// Placed returns a copy of the unit in which tokens have their exact places. It returns false if tokens are not those of the unit.
func (u *Unit) Placed(tokens Tokens) (*Unit, bool) {
	same := func(a, b token) bool { return a.text == b.text }
	if !slices.EqualFunc(u.tokens, tokens, same) {
		return nil, false
	}
	placed := *u
	placed.tokens = slices.Clone(u.tokens)
	for i := range tokens {
		placed.tokens[i].at, placed.tokens[i].spelled = tokens[i].at, tokens[i].spelled
	}
	placed.entries = make([]*entry, len(u.entries))
	for i, e := range u.entries {
		p := placed.tokens[e.kernel.at].at
		moved := *e
		moved.File, moved.Line = p.file, p.line
		placed.entries[i] = &moved
	}
	return &placed, true
}
