package msl

import (
	"slices"
	"strings"
)

// takeKernel reports whether f is a kernel, and converts it to an ordinary function.
func (u *Unit) takeKernel(f *function) bool {
	_, is := find(f.attrs, "kernel")
	for i := f.result.lo; i < f.result.hi; i++ {
		t := &u.tokens[i]
		switch {
		case t.drop:
		case t.is("kernel"):
			t.drop, is = true, true
		case t.is("vertex"), t.is("fragment"):
			u.errorf(i, "%s functions are not supported: only compute kernels run here", t.text)
		}
	}
	for _, a := range f.attrs {
		switch a.name {
		case "vertex", "fragment", "mesh", "object", "visible", "intersection", "patch", "stitchable", "tile":
			if a.name != "visible" && a.name != "stitchable" {
				u.errorf(a.at, "%s functions are not supported: only compute kernels run here", a.name)
			}
		}
	}
	return is
}

// plainKernel adds the entry of a kernel that is not a template.
func (u *Unit) plainKernel(f *function, h *head) {
	if !u.returnsVoid(f) {
		u.errorf(f.at, "kernel %s must return void", f.name)
	}
	if f.member {
		u.errorf(f.at, "kernel %s must not be a member of a class", f.name)
	}
	if len(f.templates) > 0 {
		return
	}
	name := f.name
	if a, ok := find(f.attrs, "host_name"); ok {
		if name, ok = u.stringValue(a.args); !ok {
			u.errorf(a.at, "host_name wants a string")
			return
		}
	}
	e := &entry{Entry: Entry{Name: name}, kernel: f, expr: "&" + f.qualified(), path: f.scope.path, after: h.hi - 1, at: f.at}
	u.entries = append(u.entries, e)
}

func (u *Unit) returnsVoid(f *function) bool {
	for i := f.result.lo; i < f.result.hi; i++ {
		t := &u.tokens[i]
		if t.drop || !t.word() || slices.Contains([]string{"inline", "static", "constexpr", "extern", "METAL_FUNC"}, t.text) {
			continue
		}
		if t.is("void") {
			return !u.has(span{i + 1, f.result.hi}, "*", "&")
		}
		return !slices.Contains(builtinWords, t.text) && !isBuiltinType(t.text) // an alias may be void
	}
	return true
}

// instantiation reads template …; which names an instance of a kernel or instantiates something else.
func (u *Unit) instantiation(s span, sc *scope) int {
	end := s.lo + 1
	for end < s.hi && !u.tokens[end].is(";") {
		end = u.past(end)
	}
	all := span{s.lo, end}
	attrs := u.attributesIn(all)
	host, named := find(attrs, "host_name")
	_, kernel := find(attrs, "kernel")
	if !named && !kernel && !u.has(all, "kernel") {
		return end + 1
	}
	expr, params := u.instance(all)
	if expr.empty() {
		u.errorf(s.lo, "this instantiation names no kernel")
		return end + 1
	}
	id, arguments := u.lastName(expr)
	e := &entry{expr: strings.TrimSpace(u.render(expr)), arguments: arguments, path: sc.path, after: end, at: expr.lo}
	for _, a := range arguments {
		e.argumentText = append(e.argumentText, u.typeText(a, map[string]string{}))
	}
	e.Name = u.tokens[id].text
	if named {
		name, ok := u.stringValue(host.args)
		if !ok {
			u.errorf(host.at, "host_name wants a string")
			return end + 1
		}
		e.Name = name
	}
	e.kernel = &function{name: u.tokens[id].text}
	if u.next(expr.lo) == id {
		e.bare = strings.TrimSpace(u.render(span{id + 1, expr.hi})) + " "
	}
	if arguments == nil && !params.empty() {
		e.cast = "static_cast<void (*)" + u.bareParams(params) + ">"
	}
	u.entries = append(u.entries, e)
	u.dropSpan(s.lo, min(end+1, s.hi))
	return end + 1
}

// instance finds, in an explicit instantiation, the name of the function and its parameters.
func (u *Unit) instance(s span) (expr, params span) {
	i := s.lo + 1
	for i < s.hi && (u.tokens[i].drop || slices.Contains([]string{"kernel", "inline", "const", "extern", "__attribute__"}, u.tokens[i].text)) {
		if u.tokens[i].is("__attribute__") {
			i++
		}
		i = u.past(i)
	}
	if i = u.next(u.typeEnd(i, s.hi)); i == 0 || i >= s.hi {
		return span{}, span{}
	}
	for i < s.hi && (u.tokens[i].drop || u.tokens[i].is("kernel")) {
		i++
	}
	hi := i
	for hi < s.hi && (u.tokens[hi].identifier() || u.tokens[hi].is("::") || u.tokens[hi].is("<") || u.tokens[hi].is("template")) {
		if u.tokens[hi].is("<") {
			end := u.angle(hi, s.hi)
			if end == 0 {
				return span{}, span{}
			}
			hi = end
			continue
		}
		hi++
	}
	expr = span{i, hi}
	if p := u.next(hi); p < s.hi && u.tokens[p].is("(") {
		params = span{p, u.past(p)}
	}
	return expr, params
}

// lastName finds the last name of a qualified one, and its template arguments.
func (u *Unit) lastName(s span) (id int, arguments []span) {
	id = s.lo
	for i := s.lo; i < s.hi; {
		switch t := &u.tokens[i]; {
		case t.is("<"):
			end := u.angle(i, s.hi)
			if end == 0 {
				return id, arguments
			}
			arguments = u.split(span{i + 1, end - 1})
			i = end
			continue
		case t.identifier():
			id, arguments = i, nil
		}
		i++
	}
	return id, arguments
}

// bareParams is the text of the types of a parameter list, with the parentheses.
func (u *Unit) bareParams(s span) string {
	var types []string
	for _, p := range u.split(span{s.lo + 1, s.hi - 1}) {
		types = append(types, u.render(span{p.lo, u.paramTypeEnd(p)}))
	}
	return "(" + strings.Join(types, ", ") + ")"
}

// resolve finds the kernel of each entry, and its arguments.
func (u *Unit) resolve() {
	seen := map[string]bool{}
	for _, e := range u.entries {
		if e.kernel.body.empty() && e.kernel.params.lo == 0 {
			k := u.kernelFor(e)
			if k == nil {
				u.errorf(e.at, "no kernel named %s is defined", e.kernel.name)
				continue
			}
			e.kernel = k
			e.expr = k.address(e)
		}
		if seen[e.Name] {
			u.errorf(e.at, "two entry points are named %s", e.Name)
			continue
		}
		seen[e.Name] = true
		p := u.tokens[e.kernel.at].at
		e.File, e.Line = p.file, p.line
		u.signature(e)
	}
	u.entries = slices.DeleteFunc(u.entries, func(e *entry) bool { return e.File == "" })
}

// address is the expression for an instance of f. The name is qualified because a function of the library may have the same
// name.
func (f *function) address(e *entry) string {
	name := e.expr
	if e.bare != "" && !f.member {
		name = f.qualified() + e.bare
	}
	if e.cast != "" {
		return e.cast + "(&" + name + ")"
	}
	return "&" + name
}

func (f *function) qualified() string {
	name := "::"
	for _, p := range f.scope.path {
		name += p + "::"
	}
	return name + f.name
}

// kernelFor finds the template of an instance: among those of its name, the one that accepts its arguments.
func (u *Unit) kernelFor(e *entry) *function {
	list := u.kernels[e.kernel.name]
	for _, k := range list {
		if len(k.templates) > 0 && len(u.split(k.templates[len(k.templates)-1])) >= len(e.arguments) {
			return k
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return nil
}
