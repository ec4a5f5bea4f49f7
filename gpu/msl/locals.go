package msl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func itoa(i int) string { return strconv.Itoa(i) }

// statements edits the declarations within a function's body, wherever a statement may begin.
func (u *Unit) statements(body span) {
	for i := body.lo; i < body.hi; i++ {
		t := &u.tokens[i]
		if t.drop || !t.word() {
			continue
		}
		switch t.text {
		case "threadgroup", "constant", "constexpr", "const", "static", "alignas", "__attribute__", "volatile":
			if u.statementStart(i, body.lo) {
				u.lintStatic(i, body.hi)
				i = u.local(i, body.hi)
			}
		default:
			if u.text(i+1) == "threadgroup" && u.statementStart(i, body.lo) {
				i = u.local(i, body.hi)
			}
		}
	}
}

// statementStart reports whether a statement may begin at i.
func (u *Unit) statementStart(i, lo int) bool {
	p := u.prev(i - 1)
	if p < lo {
		return true
	}
	switch u.tokens[p].text {
	case "{", "}", ";", ":":
		return true
	}
	return false
}

// local reads a declaration that has an address space and returns its last token, or i if there is none.
func (u *Unit) local(i, hi int) int {
	d, ok := u.localDeclaration(i, hi)
	if !ok {
		return i
	}
	switch d.space {
	case "threadgroup":
		return u.threadgroupVariables(i, d)
	case "constant":
		if !d.static {
			u.tokens[i].before = "static " + u.tokens[i].before
		}
	}
	return i
}

// localDecl is a declaration of variables that are not pointers.
type localDecl struct {
	space  string
	static bool
	base   []span // the type, without the address space
	first  int    // the first declarator
	end    int    // the ; after it
}

// localDeclaration reads specifiers and a type, up to a name.
func (u *Unit) localDeclaration(i, hi int) (localDecl, bool) {
	var d localDecl
	typed := false
	for i < hi {
		i = u.next(i)
		t := &u.tokens[i]
		switch {
		case t.is("threadgroup") || t.is("constant"):
			d.space = t.text
			i++
		case t.is("static") || t.is("constexpr"):
			d.static = d.static || t.is("static")
			i++
		case t.is("thread") || t.is("device"):
			return d, false
		case t.is("const") || t.is("volatile"):
			d.base = append(d.base, span{i, i + 1})
			i++
		case (t.is("alignas") || t.is("__attribute__")) && u.text(i+1) == "(":
			i = u.past(i + 1)
		case typed:
			d.first = i
			d.end = u.statementEnd(i, hi)
			return d, t.identifier() && d.space != "" && d.end > 0
		default:
			end := u.typeEnd(i, hi)
			if end <= i {
				return d, false
			}
			d.base = append(d.base, span{i, end})
			i, typed = end, true
		}
	}
	return d, false
}

// statementEnd is the ; that ends the statement at i; 0 if a bracket closes before.
func (u *Unit) statementEnd(i, hi int) int {
	for ; i < hi; i = u.past(i) {
		switch u.tokens[i].text {
		case ";":
			return i
		case ")", "}", "]":
			return 0
		}
	}
	return 0
}

// builtinWords are the words that types of several words are made of.
var builtinWords = []string{
	"unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool", "void", "auto", "wchar_t", "_Bool",
}

// typeEnd is the index after the type name at i.
func (u *Unit) typeEnd(i, hi int) int {
	if slices.Contains(builtinWords, u.text(i)) {
		for i < hi && slices.Contains(builtinWords, u.tokens[i].text) {
			i++
		}
		return i
	}
	for i < hi && slices.Contains([]string{"typename", "struct", "class", "union", "enum", "::"}, u.tokens[i].text) {
		i++
	}
	if u.text(i) == "decltype" && u.text(i+1) == "(" {
		return u.past(i + 1)
	}
	for i < hi && u.tokens[i].identifier() {
		i++
		if u.text(i) == "<" {
			end := u.angle(i, hi)
			if end == 0 {
				return 0
			}
			i = end
		}
		if u.text(i) != "::" {
			return i
		}
		if i++; u.text(i) == "template" {
			i++
		}
	}
	return 0
}

// threadgroupVariables converts the variables that a declaration lists to what the target makes of them (MSL_VARIABLE). An initializer
// is ignored: Apple's compiler accepts one, but which thread would run it is not defined.
func (u *Unit) threadgroupVariables(i int, d localDecl) int {
	var base []string
	for _, s := range d.base {
		base = append(base, strings.TrimSpace(u.render(s)))
	}
	var b strings.Builder
	for _, p := range u.split(span{d.first, d.end}) {
		name := u.next(p.lo)
		if name >= p.hi || !u.tokens[name].identifier() {
			return i
		}
		rest := name + 1
		for rest < p.hi && u.tokens[rest].is("[") {
			rest = u.past(rest)
		}
		fmt.Fprintf(&b, "MSL_VARIABLE(%s, %s%s); ", u.tokens[name].text, strings.Join(base, " "), u.render(span{name + 1, rest}))
	}
	before := u.tokens[i].before
	u.dropSpan(i, d.end+1)
	u.tokens[i].before = before + b.String()
	return d.end
}
