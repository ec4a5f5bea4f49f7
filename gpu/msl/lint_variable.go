package msl

import "slices"

// lintProgramVariable refuses a variable at namespace scope that is not in the constant address space. Declarations other than
// a plain "type name" are left to clang.
func (u *Unit) lintProgramVariable(h *head) {
	name := u.variableName(h)
	if name < 0 {
		return
	}
	for _, a := range u.attributesIn(h.span) {
		if slices.Contains(builtins, a.name) {
			u.errorf(name, "%s at program scope is not supported: make %s an argument of the kernel", a.name, u.tokens[name].text)
			u.dropSpan(h.lo, h.hi)
			return
		}
	}
	u.errorf(name, "program scope variable %s must be in the constant address space", u.tokens[name].text)
}

// variableName is the name that a declaration without an address space declares, -1 if it may not be a variable.
func (u *Unit) variableName(h *head) int {
	if len(h.templates) > 0 || h.key >= 0 || h.name < 0 || u.has(span{h.start, h.name}, "sampler") || u.has(span{h.start, h.name}, spaces...) {
		return -1
	}
	i := h.start
	for i < h.name && (u.tokens[i].drop || slices.Contains(variableSpecifiers, u.tokens[i].text)) {
		i++
	}
	end := u.typeEnd(i, h.name)
	if end <= i {
		return -1
	}
	for end < h.name && (u.tokens[end].drop || slices.Contains([]string{"const", "volatile", "*", "&"}, u.tokens[end].text)) {
		end++
	}
	next := u.next(h.name + 1)
	if end != h.name || next >= h.hi || !slices.Contains([]string{"=", "[", "{", ";", ","}, u.tokens[next].text) {
		return -1
	}
	return h.name
}

// variableSpecifiers may stand before the type of a variable.
var variableSpecifiers = []string{"static", "const", "constexpr", "inline", "volatile", "extern"}

// lintStatic refuses writable static variables in functions.
func (u *Unit) lintStatic(i, hi int) {
	end := u.statementEnd(i, hi)
	for j := i; j < end; j = u.past(j) {
		switch t := &u.tokens[j]; {
		case t.drop:
		case t.is("constant"), t.is("const"), t.is("constexpr"), t.is("threadgroup"):
			return
		case t.is("=") || t.is("("):
			end = j
		}
	}
	if u.tokens[i].is("static") && end > 0 {
		u.errorf(i, "a static variable of a function must be in the constant address space")
	}
}

// lintLengths refuses arrays whose length is an argument of their function.
func (u *Unit) lintLengths(f *function) {
	arguments := map[string]bool{}
	for _, p := range u.split(f.params) {
		if n := u.paramName(p); n >= 0 {
			arguments[u.tokens[n].text] = true
		}
	}
	for i := f.body.lo; i+4 < f.body.hi; i++ {
		name := i + 1
		if !u.isConcrete(i) || !u.tokens[name].identifier() || !u.tokens[name+1].is("[") || u.tokens[name+1].match != name+3 {
			continue
		}
		if length := &u.tokens[name+2]; !u.tokens[i].drop && length.identifier() && arguments[length.text] && !u.redeclared(length.text, f.body) {
			u.errorf(name, "the length of array %s must be a constant", u.tokens[name].text)
		}
	}
}

// redeclared reports whether a body declares a variable of that name, judging by a type before it.
func (u *Unit) redeclared(name string, body span) bool {
	for i := body.lo + 1; i < body.hi; i++ {
		if p := &u.tokens[i-1]; u.tokens[i].is(name) && p.word() && !p.is("return") {
			return true
		}
	}
	return false
}
