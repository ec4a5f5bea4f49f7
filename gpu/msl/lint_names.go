package msl

import "slices"

// alias records a typedef or using of a type, and refuses one for a pointer without an address space.
func (u *Unit) alias(h *head, sc *scope) {
	name, typ := u.aliasParts(h)
	if name < 0 || typ.empty() {
		return
	}
	text := u.tokens[name].text
	if _, twice := u.aliases[text]; twice {
		u.vague[text] = true
	}
	u.aliases[text] = typ
	if len(h.templates) > 0 || sc.templated {
		u.vague[text] = true
	}
	if u.tokens[h.start].is("using") {
		u.lintAlias(typ)
	}
}

// aliasParts finds the name and the type of using name = type and typedef type name. name is -1 for anything else.
func (u *Unit) aliasParts(h *head) (name int, typ span) {
	if u.tokens[h.start].is("using") {
		if n := u.next(h.start + 1); h.assign > 0 && n < h.assign && u.tokens[n].identifier() && u.next(n+1) == h.assign {
			return n, span{h.assign + 1, h.hi - 1}
		}
		return -1, span{}
	}
	n := u.prev(h.hi - 2)
	if n <= h.start || !u.tokens[n].identifier() || u.has(span{h.start, n}, ",") {
		return -1, span{}
	}
	return n, span{h.start + 1, n}
}

// lintAlias refuses using name = type * if the type is known and has no address space.
func (u *Unit) lintAlias(s span) {
	base := -1
	for i := s.lo; i < s.hi; i++ {
		t := &u.tokens[i]
		switch {
		case t.drop, t.is("const"), t.is("volatile"):
		case (t.is("*") || t.is("&")) && base >= 0:
			u.lintNoSpace(base, i)
			return
		case base < 0 && (u.isConcrete(i) || u.isKnownType(i)):
			base = i
		default:
			return
		}
	}
}

// isPlainAlias reports whether an alias at namespace scope is for a known type that is not a pointer.
func (u *Unit) isPlainAlias(s span, depth int) bool {
	found := false
	for i := s.lo; i < s.hi; i++ {
		t := &u.tokens[i]
		switch {
		case t.drop, t.is("const"), t.is("volatile"), t.is("metal"), t.is("::"):
		case slices.Contains(builtinWords, t.text), isBuiltinType(t.text), !found && u.isType(t.text, depth+1):
			found = true
		default:
			return false
		}
	}
	return found
}

// maxAliases is the maximum number of aliases that are followed from one to the next.
const maxAliases = 8

// isType reports whether a name refers only to one type of the program that is neither a template nor a pointer.
func (u *Unit) isType(name string, depth int) bool {
	if u.vague[name] || depth > maxAliases {
		return false
	}
	if s, ok := u.aliases[name]; ok {
		return !u.classes[name] && u.isPlainAlias(s, depth)
	}
	return u.classes[name]
}

func (u *Unit) isKnownType(i int) bool {
	return u.tokens[i].identifier() && u.isType(u.tokens[i].text, 0)
}

// findVague records the names of types that are elsewhere the name of a variable or a template parameter.
func (u *Unit) findVague() {
	for i := range u.tokens {
		t := &u.tokens[i]
		_, alias := u.aliases[t.text]
		if t.drop || !t.identifier() || !alias && !u.classes[t.text] {
			continue
		}
		if alias && u.aliases[t.text].hi == i {
			continue // where typedef gives it
		}
		if u.isValue(i) || u.isParameter(i) {
			u.vague[t.text] = true
		}
	}
}

// isValue reports whether the name at i is used as one of a variable or function rather than of a type.
func (u *Unit) isValue(i int) bool {
	p := u.prev(i - 1)
	before, after := u.text(p), u.text(u.next(i+1))
	switch after {
	case ".", "->", "[", "+=", "-=", "*=", "/=", "++", "--":
		return true
	case "=":
		return before != "using"
	}
	named := p >= 0 && (u.tokens[p].identifier() || slices.Contains(builtinWords, before)) && before != "METAL_FUNC" && !slices.Contains(spaces, before)
	return before == "." || before == "->" || named && slices.Contains([]string{",", ")", ";"}, after) ||
		slices.Contains([]string{"*", "&"}, before) && slices.Contains([]string{",", ")", ";", "]"}, after)
}

// isParameter reports whether the name at i is declared as the parameter of a template.
func (u *Unit) isParameter(i int) bool {
	switch u.text(u.prev(i - 1)) {
	case "typename", "class", "...":
	default:
		return false
	}
	n := u.text(u.next(i + 1))
	return n == "," || n == ">" || n == ">>" || n == "="
}
