package msl

import "slices"

// head is the shape of one declaration.
type head struct {
	span
	templates []span // parameters of its template headers
	start     int    // after the template headers
	key       int    // class, struct, union or enum that has a body; -1 if none
	name      int    // the declarator's last name; -1 if it has none
	params    span   // with the parentheses
	assign    int    // the =; -1 if none
	body      span   // with the braces: of the class or the function
}

func (h *head) isFunction() bool { return h.key < 0 && !h.params.empty() && !h.body.empty() }

// maxDepth bounds how deep scopes may nest.
const maxDepth = 200

// scan reads the declarations of a namespace or class and edits them.
func (u *Unit) scan(s span, sc *scope, depth int) {
	if depth > maxDepth {
		u.errorf(s.lo, "scopes nest more than %d deep", maxDepth)
		return
	}
	for i := s.lo; i < s.hi; {
		next := u.declaration(span{i, s.hi}, sc, depth)
		i = max(next, i+1)
	}
}

// declaration reads the declaration at the start of a span and returns the index after it.
func (u *Unit) declaration(s span, sc *scope, depth int) int {
	i := u.next(s.lo)
	if i >= s.hi {
		return s.hi
	}
	switch text := u.tokens[i].text; {
	case text == ";":
		return i + 1
	case (text == "public" || text == "private" || text == "protected") && u.text(i+1) == ":":
		return i + 2
	case text == "namespace", text == "inline" && u.text(i+1) == "namespace":
		return u.namespace(span{i, s.hi}, sc, depth)
	case text == "extern" && u.text(i+2) == "{" && u.tokens[i+2].match > 0:
		u.scan(span{i + 3, u.tokens[i+2].match}, sc, depth+1)
		return u.tokens[i+2].match + 1
	case text == "template" && u.text(u.next(i+1)) != "<":
		return u.instantiation(span{i, s.hi}, sc)
	}
	h := u.head(span{s.lo, s.hi})
	u.declared(&h, sc, depth)
	return h.hi
}

func (u *Unit) namespace(s span, sc *scope, depth int) int {
	inner := &scope{path: slices.Clone(sc.path)}
	for i := s.lo; i < s.hi; i++ {
		switch t := &u.tokens[i]; {
		case t.is(";"):
			return i + 1
		case t.is("{") && t.match > 0:
			u.scan(span{i + 1, t.match}, inner, depth+1)
			return t.match + 1
		case t.identifier() && !t.drop:
			inner.path = append(inner.path, t.text)
		}
	}
	return s.hi
}

// head finds the parts of the declaration at the start of a span.
func (u *Unit) head(s span) head {
	h := head{span: s, key: -1, name: -1, assign: -1}
	i := u.templateHeaders(s, &h)
	h.start = i
	for i < s.hi {
		t := &u.tokens[i]
		switch {
		case t.drop:
			i++
		case t.is(";"):
			h.hi = i + 1
			return h
		case t.is("}"):
			h.hi = i + 1
			return h
		case t.is("{"):
			if i = u.brace(i, &h); h.isFunction() {
				h.hi = i
				return h
			}
		case h.assign >= 0:
			i = u.past(i)
		default:
			i = u.headToken(i, s.hi, &h)
		}
	}
	h.hi = s.hi
	return h
}

// templateHeaders skips template <…>. The language has no requires clauses.
func (u *Unit) templateHeaders(s span, h *head) int {
	i := u.next(s.lo)
	for i < s.hi && u.tokens[i].is("template") {
		open := u.next(i + 1)
		if open >= s.hi || !u.tokens[open].is("<") {
			break
		}
		end := u.angle(open, s.hi)
		if end == 0 {
			break
		}
		h.templates = append(h.templates, span{open + 1, end - 1})
		i = u.next(end)
	}
	return i
}

// brace takes the braces at i as the body of a class or function, or as an initializer.
func (u *Unit) brace(i int, h *head) int {
	end := u.past(i)
	switch {
	case h.assign >= 0:
	case h.key >= 0 && h.body.empty():
		h.body = span{i, end}
	case !h.params.empty() && h.key < 0:
		h.body = span{i, end}
	}
	return end
}

// notNames are words whose parentheses do not hold parameters.
var notNames = []string{
	"decltype", "alignas", "__attribute__", "__declspec", "explicit", "noexcept", "sizeof", "asm", "__asm", "__asm__",
	"static_assert", "typeof", "__typeof__", "coherent",
}

// headToken reads one token before any initializer.
func (u *Unit) headToken(i, hi int, h *head) int {
	t := &u.tokens[i]
	switch {
	case t.is("class") || t.is("struct") || t.is("union") || t.is("enum"):
		if h.key < 0 && h.params.empty() && u.hasBody(i, hi) {
			h.key = i
		}
	case t.is("operator") && h.params.empty():
		return u.operator(i, hi, h)
	case t.is("="):
		h.assign = i
	case t.is(":") && !h.params.empty() && h.key < 0:
		return u.initializers(i+1, hi)
	case t.is("<") && u.prev(i-1) >= 0 && u.tokens[u.prev(i-1)].word():
		if end := u.angle(i, hi); end > 0 {
			return end
		}
	case t.is("("):
		u.parameters(i, h)
	case t.identifier() && h.params.empty():
		h.name = i
	}
	return u.past(i)
}

// parameters takes the parentheses at i as a function's if they follow a name.
func (u *Unit) parameters(i int, h *head) {
	p := u.prev(i - 1)
	if !h.params.empty() || h.key >= 0 || p < h.start || slices.Contains(notNames, u.tokens[p].text) {
		return
	}
	if h.name < 0 || !u.tokens[p].identifier() && !u.tokens[p].is(">") && !u.tokens[p].is(">>") {
		return
	}
	h.params = span{i, u.past(i)}
}

// operator reads operator@ or operator type, up to its parameters.
func (u *Unit) operator(i, hi int, h *head) int {
	h.name = i
	j := u.next(i + 1)
	if j < hi && (u.tokens[j].is("(") || u.tokens[j].is("[")) {
		j = u.next(u.past(j))
	}
	for j < hi && !u.tokens[j].is("(") {
		if u.tokens[j].is(";") || u.tokens[j].is("{") {
			return j
		}
		j++
	}
	if j >= hi {
		return hi
	}
	h.params = span{j, u.past(j)}
	return u.past(j)
}

// initializers skips a constructor's member initializers, up to its body.
func (u *Unit) initializers(i, hi int) int {
	for i < hi {
		t := &u.tokens[i]
		switch {
		case t.is("<"):
			if end := u.angle(i, hi); end > 0 {
				i = end
				continue
			}
		case t.is("("), t.is("{"):
			i = u.next(u.past(i))
			if i < hi && (u.tokens[i].is(",") || u.tokens[i].is("...")) {
				i++
				continue
			}
			return i
		case t.is(";"):
			return i
		}
		i = u.past(i)
	}
	return hi
}

// hasBody reports whether the class key at i begins a definition.
func (u *Unit) hasBody(i, hi int) bool {
	for j, left := i+1, lookahead; j < hi && left > 0; left-- {
		t := &u.tokens[j]
		switch {
		case t.drop:
			j++
			continue
		case t.is("{"):
			return true
		case t.is("<"):
			if end := u.angle(j, hi); end > 0 {
				j = end
				continue
			}
			return false
		case t.is("("):
			if p := u.tokens[u.prev(j-1)].text; p != "alignas" && p != "__attribute__" && p != "__declspec" && p != "decltype" {
				return false
			}
		case t.is(";"), t.is("="), t.is(")"), t.is(","), t.is(">"), t.is("*"), t.is("&"), t.is("}"):
			if !t.is(",") { // a list of bases has commas
				return false
			}
		}
		j = u.past(j)
	}
	return false
}
