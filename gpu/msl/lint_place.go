package msl

import "strings"

// lintAttributePlace refuses kernel attributes in places where they would belong to its type. h still includes kernel.
func (u *Unit) lintAttributePlace(h *head) {
	end := h.hi
	if !h.body.empty() {
		end = h.body.lo
	}
	for i := h.start; i < end; i = u.past(i) {
		shut, ok := u.shut[i]
		if !ok {
			continue
		}
		p := u.prev(i - 1)
		a, limit := find(u.attrs[i], "max_total_threads_per_threadgroup")
		switch {
		case p >= h.start && i < h.name && u.tokens[p].is("kernel"):
			u.errorf(i, "an attribute list cannot appear here: put it before kernel")
		case limit && (i >= h.params.hi || p >= h.start && u.tokens[p].is("void")):
			u.errorf(a.at, "%s cannot be applied to types: put it before kernel", a.name)
		}
		i = shut - 1
	}
}

// lintLambda refuses a lambda expression: brackets where an operand begins, followed by parameters or a body. Programs with
// tensors are of Metal 4, which has them.
func (u *Unit) lintLambda(i int) {
	t := &u.tokens[i]
	if !t.is("[") || t.match < 0 || u.tensors {
		return
	}
	if n := u.next(t.match + 1); n >= len(u.tokens) || !u.tokens[n].is("(") && !u.tokens[n].is("{") {
		return
	}
	switch u.text(u.prev(i - 1)) {
	case "=", "(", ",", "return", "{", "}", ";", "?", ":", "!", "&&", "||", "+":
		u.errorf(i, "lambda expressions are not supported")
	}
}

// lintHalfName refuses half as the name of a variable: it is a keyword, unlike the names of the other types.
func (u *Unit) lintHalfName(i int) {
	if !u.tokens[i].is("half") || !u.tokens[i].identifier() {
		return
	}
	p := u.prev(i - 1)
	if p < 0 || !u.isConcrete(p) && !u.tokens[p].is("auto") {
		return
	}
	switch u.text(u.next(i + 1)) {
	case "=", ";", ",", ")", "[", "{":
		u.errorf(i, "half is a type and cannot be a name")
	}
}

// lintLiteral refuses long double.
func (u *Unit) lintLiteral(i int) {
	text := strings.ToLower(u.tokens[i].text)
	if u.tokens[i].kind != "numeric_constant" || !strings.HasSuffix(text, "l") {
		return
	}
	exponent := "e"
	if strings.HasPrefix(text, "0x") {
		exponent = "p"
	}
	if strings.Contains(text, ".") || strings.Contains(text, exponent) {
		u.errorf(i, "long double is not supported: %s has the suffix of one", u.tokens[i].text)
	}
}

// lintAssembly refuses statements of assembly. A label behind a declaration is none.
func (u *Unit) lintAssembly(i int) {
	switch u.tokens[i].text {
	case "asm", "__asm", "__asm__":
	default:
		return
	}
	switch u.text(u.prev(i - 1)) {
	case "{", "}", ";", "":
		u.errorf(i, "inline assembly is not supported")
	}
}

// lintSampler refuses the type of samplers, where a variable or argument has it.
func (u *Unit) lintSampler(i int) {
	t := &u.tokens[i]
	if !t.is("sampler") || !t.identifier() || u.structs[t.text] || u.isMember(i) {
		return
	}
	if n := u.next(i + 1); n < len(u.tokens) && u.tokens[n].identifier() {
		u.errorf(i, "samplers are not supported")
	}
}

// positions are the attributes whose types in one kernel must agree.
var positions = []string{
	"thread_position_in_grid", "thread_position_in_threadgroup", "threadgroup_position_in_grid", "threads_per_threadgroup",
	"dispatch_threads_per_threadgroup", "threadgroups_per_grid", "threads_per_grid",
}

// lintPositions refuses positions and sizes of different dimensions. It ignores types that it does not know by name.
func (u *Unit) lintPositions(e *entry) {
	first := -1
	for i := range e.Args {
		a := &e.Args[i]
		width := positionWidth(a)
		if width == 0 {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		if b := &e.Args[first]; positionWidth(b) != width {
			u.errorf(e.kernel.at, "positions and sizes of kernel %s must be all scalars, or all vectors with the same number of elements: "+
				"%s is %s, %s is %s", e.kernel.name, b.Builtin, b.Type, a.Builtin, a.Type)
			return
		}
	}
}

// positionWidth is the number of elements of a position's type, 0 if it is not known.
func positionWidth(a *Arg) int {
	known := false
	for _, p := range positions {
		known = known || a.Builtin == p
	}
	name := strings.TrimPrefix(strings.TrimPrefix(a.Type, "const "), "metal::")
	switch base := strings.TrimRight(name, "234"); {
	case !known || base != "uint" && base != "ushort" && base != "int" && base != "short" || len(name) > len(base)+1:
		return 0
	case base == name:
		return 1
	default:
		return int(name[len(base)] - '0')
	}
}
