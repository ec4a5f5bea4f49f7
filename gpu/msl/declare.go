package msl

import (
	"slices"
	"strings"
)

// declared edits a declaration according to its kind.
func (u *Unit) declared(h *head, sc *scope, depth int) {
	if h.start >= h.hi {
		return
	}
	switch {
	case h.key >= 0 && u.tokens[h.key].is("enum"):
		u.enumeration(h, sc)
		u.enumerators(span{h.body.lo + 1, h.body.hi - 1})
	case h.key >= 0 && !h.body.empty():
		u.class(h, sc, depth)
	case !h.params.empty() && h.key < 0:
		u.functionDeclared(h, sc)
	default:
		u.variable(h, sc)
	}
}

func (u *Unit) class(h *head, sc *scope, depth int) {
	name := ""
	for i := h.key + 1; i < h.body.lo; i = u.past(i) {
		t := &u.tokens[i]
		if t.is(":") || t.is("<") {
			break
		}
		if t.identifier() && !t.drop && !t.is("final") && !slices.Contains(notNames, t.text) {
			name = t.text
		}
	}
	if name == "" {
		name = "{}" // a class without a name has no constructors
	}
	if t := &u.tokens[u.prev(h.hi-2)]; u.tokens[h.start].is("typedef") && t.identifier() {
		u.classes[t.text] = true
	}
	u.structs[name] = true
	inner := &scope{path: sc.path, class: name, members: map[string]bool{}, templated: sc.templated || len(h.templates) > 0}
	if u.classes[name] = true; inner.templated {
		u.vague[name] = true
	}
	u.scan(span{h.body.lo + 1, h.body.hi - 1}, inner, depth+1)
}

// enumeration records the name of an enumeration.
func (u *Unit) enumeration(h *head, sc *scope) {
	i := u.next(h.key + 1)
	for u.tokens[i].is("class") || u.tokens[i].is("struct") {
		i = u.next(i + 1)
	}
	if t := &u.tokens[i]; i < h.body.lo && t.identifier() {
		u.classes[t.text] = true
		u.vague[t.text] = u.vague[t.text] || sc.templated
	}
}

// enumerators records the values that can be computed here.
func (u *Unit) enumerators(s span) {
	next, known := int64(0), true
	for _, e := range u.split(s) {
		i := u.next(e.lo)
		if i >= e.hi || !u.tokens[i].identifier() {
			return
		}
		if j := u.next(i + 1); j < e.hi && u.tokens[j].is("=") {
			next, known = u.evaluate(span{j + 1, e.hi}, nil)
		}
		if known {
			u.values[u.tokens[i].text] = next
		}
		next++
	}
}

// functionDeclared edits a function's qualifiers and body, and records the function.
func (u *Unit) functionDeclared(h *head, sc *scope) {
	if u.dropRepeated(h, sc) {
		return
	}
	u.arrayParameters(span{h.params.lo + 1, h.params.hi - 1})
	if sc.class == "" {
		u.lintAttributePlace(h)
	}
	if h.body.empty() {
		u.dropKernel(span{h.start, h.name})
		return
	}
	f := &function{
		name: u.tokens[h.name].text, at: h.name, scope: sc, templates: h.templates, params: span{h.params.lo + 1, h.params.hi - 1},
		body: span{h.body.lo + 1, h.body.hi - 1}, result: span{h.start, h.name}, member: sc.class != "",
		attrs: u.attributesIn(span{h.lo, h.body.lo}),
	}
	if p := u.prev(h.name - 1); p >= h.start && u.tokens[p].is("::") {
		f.member = true
	}
	u.functions = append(u.functions, f)
	f.kernel = u.takeKernel(f)
	if sc.class == "" {
		u.discardable(h, f)
	}
	u.statements(f.body)
	if f.kernel {
		u.kernels[f.name] = append(u.kernels[f.name], f)
		u.plainKernel(f, h)
	}
}

// discardable edits a function at namespace scope so that code is emitted for it only if it is used.
func (u *Unit) discardable(h *head, f *function) {
	for i := h.lo; i < h.name; i++ {
		switch u.tokens[i].text {
		case "inline", "static", "constexpr", "__inline__", "__inline", "explicit":
			if !u.tokens[i].drop {
				return
			}
		}
	}
	if len(h.templates) == 0 || f.kernel {
		i := h.start
		if u.tokens[i].is("extern") && u.tokens[i+1].kind == "string_literal" {
			i += 2
		}
		u.tokens[i].before = "inline " + u.tokens[i].before
	}
}

// dropKernel converts the declaration of a kernel to that of an ordinary function.
func (u *Unit) dropKernel(result span) {
	for i := result.lo; i < result.hi; i++ {
		if t := &u.tokens[i]; t.is("kernel") && t.identifier() {
			t.drop = true
		}
	}
}

// spaces are the address space qualifiers.
var spaces = []string{"device", "constant", "threadgroup", "thread", "threadgroup_imageblock", "ray_data", "object_data"}

// dropRepeated removes the address space after a member function's parameters, which C++ does not allow. Members that differ
// only in that are the same in C++: all but the first are dropped, for which it returns true.
func (u *Unit) dropRepeated(h *head, sc *scope) bool {
	qualified := false
	end := h.hi
	if !h.body.empty() {
		end = h.body.lo
	}
	for i := h.params.hi; i < end; i = u.past(i) {
		t := &u.tokens[i]
		if t.is(":") || t.is("=") || t.is("->") {
			break
		}
		if !slices.Contains(spaces, t.text) || t.drop {
			continue
		}
		qualified = true
		t.drop = true
		u.ownReference(h, t.text)
		if t.is("constant") && u.tokens[h.name].text != sc.class {
			t.drop, t.replace = false, "const"
		}
	}
	if sc.members == nil {
		sc.members = map[string]bool{}
	}
	key := u.memberKey(h, end, sc.class)
	if qualified && sc.members[key] {
		u.dropSpan(h.lo, h.hi)
		return true
	}
	if qualified || sc.class != "" {
		sc.members[key] = true
	}
	return false
}

// ownReference removes the address space from the reference result of a member function that has the same one: in C++ the
// object and its parts have none.
func (u *Unit) ownReference(h *head, space string) {
	if h.name <= h.start || !u.has(span{h.start, h.name}, "&") || u.has(span{h.start, h.name}, "*") {
		return
	}
	for i := h.start; i < h.name; i = u.past(i) {
		if t := &u.tokens[i]; t.is(space) && !t.drop {
			t.drop = true
			if space == "constant" {
				t.drop, t.replace = false, "const"
			}
		}
	}
}

// memberKey is the name, template parameters, parameter types and const: what distinguishes overloads.
func (u *Unit) memberKey(h *head, end int, class string) string {
	var b strings.Builder
	for _, t := range h.templates {
		b.WriteString(u.keyOf(t))
		b.WriteByte('>')
	}
	lo := h.name
	switch {
	case class == "":
		lo = h.start // which class it is a member of may take template arguments to say
	case len(h.templates) > 0: // templates may differ in at most their results
		for i := h.start; i < h.name; i++ {
			if t := &u.tokens[i]; !t.drop && !slices.Contains(spaces, t.text) {
				b.WriteString(t.text + " ")
			}
		}
	}
	b.WriteString(u.keyOf(span{lo, h.params.lo}))
	for _, p := range u.split(span{h.params.lo + 1, h.params.hi - 1}) {
		b.WriteString(u.keyOf(span{p.lo, u.paramTypeEnd(p)}))
		b.WriteByte(',')
	}
	isConst := false
	for i := h.params.hi; i < end; i = u.past(i) {
		t := &u.tokens[i]
		if t.is(":") || t.is("=") || t.is("->") {
			break
		}
		isConst = isConst || t.is("const") || t.replace == "const"
		if t.is("&") || t.is("&&") || t.is("volatile") {
			b.WriteString(t.text)
		}
	}
	if isConst {
		b.WriteString(" const")
	}
	return b.String()
}

// keyOf is the text of a span without the thread address space, and with const and address spaces first.
func (u *Unit) keyOf(s span) string {
	var words, rest []string
	for i := s.lo; i < s.hi; i++ {
		t := &u.tokens[i]
		switch {
		case t.drop || t.is("thread"):
		case t.is("const") || t.is("device") || t.is("constant") || t.is("threadgroup"):
			words = append(words, t.text)
		default:
			rest = append(rest, t.text)
		}
	}
	slices.Sort(words)
	return strings.Join(append(slices.Compact(words), rest...), " ")
}

// paramTypeEnd is where the name or the default value of a parameter begins.
func (u *Unit) paramTypeEnd(p span) int {
	n := u.paramName(p)
	if n >= 0 {
		return n
	}
	for i := p.lo; i < p.hi; i = u.past(i) {
		if u.tokens[i].is("=") {
			return i
		}
	}
	return p.hi
}

// variable edits a variable at namespace or class scope. Function constants get their values from the executor.
func (u *Unit) variable(h *head, sc *scope) {
	attr, ok := find(u.attributesIn(h.span), "function_constant")
	if ok && h.name >= 0 {
		u.functionConstant(h, attr)
		return
	}
	if u.tokens[h.start].is("using") || u.tokens[h.start].is("typedef") {
		u.alias(h, sc)
		return
	}
	if h.name < 0 {
		return
	}
	if h.assign >= 0 && u.has(span{h.start, h.assign}, "constexpr", "const", "constant") {
		if v, ok := u.evaluate(span{h.assign + 1, h.hi - 1}, nil); ok {
			u.values[u.tokens[h.name].text] = v
		}
	}
	if sc.class == "" && u.has(span{h.start, h.name}, "threadgroup") && !u.has(span{h.start, h.name}, "*", "&") {
		u.errorf(h.start, "a threadgroup variable must be declared in a kernel")
	}
	if sc.class == "" {
		u.lintProgramVariable(h)
	}
}

// has reports whether a span contains one of the words outside brackets.
func (u *Unit) has(s span, words ...string) bool {
	for i := s.lo; i < s.hi; i = u.past(i) {
		if !u.tokens[i].drop && slices.Contains(words, u.tokens[i].text) {
			return true
		}
	}
	return false
}

func (u *Unit) functionConstant(h *head, attr attribute) {
	name := u.tokens[h.name].text
	index, ok := u.evaluate(attr.args, nil)
	if !ok || index < 0 || index > 65535 {
		u.errorf(attr.at, "function_constant wants an index from 0 to 65535")
		return
	}
	if h.assign >= 0 {
		u.errorf(h.name, "function constant %s must not have an initializer", name)
		return
	}
	typ := u.constantType(span{h.start, h.name})
	for i := range u.constants {
		if c := &u.constants[i]; c.Index == int(index) && c.Name != name {
			u.errorf(h.name, "function constants %s and %s have the same index %d", c.Name, name, index)
			return
		}
	}
	u.constants = append(u.constants, functionConstant{Constant: Constant{Name: name, Type: typ, Index: int(index), Required: true}})
	for i := h.name + 1; i < h.hi-1; i++ {
		u.tokens[i].drop = true
	}
	u.tokens[h.name].after = " = ::msl::constant_value<" + typ + ", " + itoa(int(index)) + ">()"
}

// constantType is the type of a function constant without its specifiers; constexpr is dropped because the value is only known at load time.
func (u *Unit) constantType(s span) string {
	for ; s.lo < s.hi; s.lo++ {
		t := &u.tokens[s.lo]
		switch t.text {
		case "constexpr":
			t.drop = true
		case "static", "constant", "const", "extern", "inline", "volatile":
		default:
			if !t.drop {
				typ := u.typeText(s, map[string]string{})
				return strings.TrimSuffix(strings.TrimSuffix(typ, " const"), " constant")
			}
		}
	}
	return ""
}

// arrayParameters converts parameters that are arrays in an address space to pointers, as the language does.
func (u *Unit) arrayParameters(params span) {
	for _, p := range u.split(params) {
		name := u.paramName(p)
		if name < 0 || !u.has(span{p.lo, name}, "device", "constant", "threadgroup") || u.has(span{p.lo, name}, "*", "&") {
			continue
		}
		dim := u.next(name + 1)
		if dim >= p.hi || !u.tokens[dim].is("[") {
			continue
		}
		end := u.past(dim)
		u.dropSpan(dim, end)
		u.tokens[name].before += "*"
		if next := u.next(end); next < p.hi && u.tokens[next].is("[") {
			u.tokens[name].before = "(" + u.tokens[name].before
			u.tokens[name].after += ")"
		}
	}
}
