package msl

import (
	"slices"
	"strings"
)

// bufferSlots is the number of buffer and threadgroup argument indices.
const bufferSlots = 31

// substitution replaces template parameters by arguments.
type substitution struct {
	text   map[string]string
	values map[string]int64
}

// substitute pairs the parameters of a kernel's template with an instance's arguments, as far as possible.
func (u *Unit) substitute(e *entry) substitution {
	s := substitution{map[string]string{}, map[string]int64{}}
	if len(e.kernel.templates) == 0 {
		return s
	}
	for i, p := range u.split(e.kernel.templates[len(e.kernel.templates)-1]) {
		assign := p.lo
		for assign < p.hi && !u.tokens[assign].is("=") {
			assign = u.past(assign)
		}
		name := u.prev(assign - 1)
		if name < p.lo || !u.tokens[name].identifier() || u.text(name-1) == "..." {
			return s
		}
		arg := span{min(assign+1, p.hi), p.hi}
		text := u.typeText(arg, s.text)
		if i < len(e.arguments) {
			arg, text = e.arguments[i], e.argumentText[i]
		}
		if arg.empty() {
			continue
		}
		s.text[u.tokens[name].text] = text
		if v, ok := u.evaluate(arg, s.values); ok {
			s.values[u.tokens[name].text] = v
		}
	}
	return s
}

// signature fills in the arguments of an entry and the expression that the trampoline passes for each.
func (u *Unit) signature(e *entry) {
	s := u.substitute(e)
	e.MaxThreads = u.maxThreads(e, s)
	used := map[ArgKind]map[int]string{Buffer: {}, Threadgroup: {}}
	params := u.split(e.kernel.params)
	if len(params) == 1 && u.next(params[0].lo) == params[0].hi-1 && u.text(params[0].hi-1) == "void" {
		params = nil
	}
	var open []int
	for _, p := range params {
		a, kind := u.argument(e, p, s)
		if kind == "" && a.Type != "" {
			open = append(open, len(e.Args))
		}
		u.occupy(p, a, kind, used)
		e.Args = append(e.Args, a)
		e.kinds = append(e.kinds, kind)
	}
	for _, i := range open {
		a := &e.Args[i]
		for used[a.Kind][a.Index] != "" {
			a.Index++
		}
		used[a.Kind][a.Index] = "taken"
		e.kinds[i] = slotKind(a.Kind) + "<" + itoa(a.Index) + ">"
	}
	u.placeShapes(e, used[Buffer])
	u.lintPositions(e)
}

func slotKind(k ArgKind) string {
	if k == Threadgroup {
		return "::msl::threadgroup_arg"
	}
	return "::msl::buffer"
}

// occupy records the index that an argument uses. Two arguments with conditions may share one if only one of them exists.
func (u *Unit) occupy(p span, a Arg, kind string, used map[ArgKind]map[int]string) {
	if a.Kind == Builtin || kind == "" {
		return
	}
	other := used[a.Kind][a.Index]
	if other != "" && other != "?" && a.Condition == "" {
		u.errorf(p.lo, "%s index %d is used by argument %s already", a.Kind, a.Index, other)
	}
	used[a.Kind][a.Index] = a.Name
	if a.Condition != "" {
		used[a.Kind][a.Index] = "?"
	} else if a.Name == "" {
		used[a.Kind][a.Index] = "(unnamed)"
	}
}

func (u *Unit) maxThreads(e *entry, s substitution) int {
	a, ok := find(e.kernel.attrs, "max_total_threads_per_threadgroup")
	if !ok {
		return 0
	}
	v, ok := u.evaluate(a.args, s.values)
	if !ok || v < 0 || v > 1<<20 {
		return 0
	}
	return int(v)
}

// argument reads one parameter of a kernel. Its kind is empty if it has no index yet.
func (u *Unit) argument(e *entry, p span, s substitution) (Arg, string) {
	name := u.paramName(p)
	a := Arg{Kind: Builtin, Type: u.typeText(span{p.lo, u.paramTypeEnd(p)}, s.text)}
	if name >= 0 {
		a.Name = u.tokens[name].text
	}
	attrs := u.allAttributes(p)
	if c, ok := find(attrs, "function_constant"); ok {
		a.Condition = u.source(c.args)
	}
	if u.refusedParam(p, a, attrs) {
		return Arg{}, ""
	}
	tensor, ok := u.tensorOf(p, &a, s)
	if !ok {
		return Arg{}, ""
	}
	for _, at := range attrs {
		switch at.name {
		case "buffer", "threadgroup":
			a.Tensor = tensor
			return u.slot(p, a, at, s)
		case "function_constant", "maybe_unused", "clang::lifetimebound", "raster_order_group", "invariant":
			continue
		case "thread_execution_width":
			a.Builtin = at.name
			return u.checkBuiltin(p, a, "threads_per_simdgroup")
		}
		if slices.Contains(builtins, at.name) {
			a.Builtin = at.name
			return u.checkBuiltin(p, a, at.name)
		}
		u.errorf(at.at, "attribute %s is not supported on an argument of a kernel", at.name)
		return Arg{}, ""
	}
	if a.Tensor = tensor; tensor != nil {
		a.Kind = Buffer
		return a, ""
	}
	return u.bare(e, p, a)
}

// bare is an argument without an attribute: a pointer or reference, which takes the next free index.
func (u *Unit) bare(e *entry, p span, a Arg) (Arg, string) {
	if u.pointerTo(p, &a) {
		return a, ""
	}
	name := a.Name
	if name == "" {
		name = a.Type
	}
	u.errorf(p.lo, "argument %s of kernel %s needs an attribute such as [[thread_position_in_grid]], or an address space and & or *",
		name, e.kernel.name)
	return Arg{}, ""
}

// builtins are the attributes that abi.h has values for.
var builtins = []string{
	"thread_position_in_grid", "thread_position_in_threadgroup", "threadgroup_position_in_grid", "threads_per_threadgroup",
	"dispatch_threads_per_threadgroup", "threadgroups_per_grid", "threads_per_grid", "grid_origin", "grid_size",
	"thread_index_in_threadgroup", "thread_index_in_simdgroup", "thread_index_in_quadgroup",
	"simdgroup_index_in_threadgroup", "quadgroup_index_in_threadgroup", "threads_per_simdgroup",
	"simdgroups_per_threadgroup", "quadgroups_per_threadgroup", "dispatch_simdgroups_per_threadgroup",
	"dispatch_quadgroups_per_threadgroup",
}

// checkBuiltin refuses a type that cannot hold an attribute's value.
func (u *Unit) checkBuiltin(p span, a Arg, member string) (Arg, string) {
	base := strings.TrimPrefix(a.Type, "metal::")
	if i := strings.TrimRight(base, "234"); slices.Contains([]string{"float", "half", "bfloat", "bool"}, i) || base == "double" {
		u.errorf(p.lo, "%s must be of an integer type, not %s", a.Builtin, a.Type)
	}
	if strings.ContainsAny(a.Type, "*&") {
		u.errorf(p.lo, "%s is a value, not a pointer or reference", a.Builtin)
	}
	return a, "::msl::builtin<&::msl_thread::" + member + ">"
}

// slot is a buffer or threadgroup argument with an index.
func (u *Unit) slot(p span, a Arg, at attribute, s substitution) (Arg, string) {
	pointer := a.Tensor != nil || u.pointerTo(p, &a)
	a.Kind = Buffer
	if at.name == "threadgroup" {
		a.Kind = Threadgroup
	}
	v, ok := u.evaluate(at.args, s.values)
	switch {
	case !ok:
		u.errorf(at.at, "the index of %s must be an integer constant", at.name)
	case v < 0 || v >= bufferSlots:
		u.errorf(at.at, "%s index %d is out of range: 0 to %d", at.name, v, bufferSlots-1)
	case !pointer:
		u.errorf(p.lo, "%s argument %s must be a pointer or reference with an address space", at.name, a.Name)
	case (a.Space == ThreadgroupSpace) != (a.Kind == Threadgroup):
		u.errorf(p.lo, "argument %s is in the %s address space, but its attribute is %s", a.Name, a.Space, at.name)
	default:
		a.Index = int(v)
		return a, slotKind(a.Kind) + "<" + itoa(a.Index) + ">"
	}
	return Arg{}, ""
}

// pointerTo reports whether p is a pointer, reference or array with an address space, and fills in a's.
func (u *Unit) pointerTo(p span, a *Arg) bool {
	found := indirection{}
	u.indirect(p, a, &found, 0)
	if !found.indirect || a.Space == NoSpace {
		return false
	}
	a.Access = ReadWrite
	if found.constant || a.Space == ConstantSpace {
		a.Access = Read
	}
	a.Kind = Buffer
	if a.Space == ThreadgroupSpace {
		a.Kind = Threadgroup
	}
	return true
}

// indirection is what the type of an argument says about what it points to.
type indirection struct{ indirect, constant bool }

// indirect reads a type, and those that its names are aliases of.
func (u *Unit) indirect(p span, a *Arg, found *indirection, depth int) {
	named := false
	for i := p.lo; i < p.hi; i++ {
		t := &u.tokens[i]
		if t.is("<") && !t.drop {
			if j := u.angle(i, p.hi); j > 0 {
				i = j - 1
				continue
			}
		}
		switch {
		case t.drop:
		case t.is("*"), t.is("&"), strings.Contains(t.before, "*"):
			found.indirect = true
		case t.is("const") && !found.indirect:
			found.constant = true
		case a.Space == NoSpace && t.is("device"):
			a.Space = Device
		case a.Space == NoSpace && t.is("constant"):
			a.Space = ConstantSpace
		case a.Space == NoSpace && t.is("threadgroup"):
			a.Space = ThreadgroupSpace
		case t.identifier() && !named && u.text(i+1) != "::":
			named = true // what follows are names of the variables
			if s, ok := u.aliases[t.text]; ok && depth < maxAliases {
				u.indirect(s, a, found, depth+1)
			}
		}
	}
}

// allAttributes collects the attributes of a parameter.
func (u *Unit) allAttributes(p span) []attribute { return u.attributesIn(p) }

// paramName is the token that names a parameter, -1 if it has no name.
func (u *Unit) paramName(p span) int {
	end := p.hi
	for i := p.lo; i < end; i = u.past(i) {
		if u.tokens[i].is("=") && !u.tokens[i].drop {
			end = i
		}
		if u.tokens[i].is("(") && i > p.lo && u.text(i+1) != ")" && !u.tokens[i].drop {
			if n := u.innerName(i); n >= 0 {
				return n
			}
		}
	}
	i := u.prev(end - 1)
	for i > p.lo && u.tokens[i].is("]") && u.tokens[i].match >= p.lo {
		i = u.prev(u.tokens[i].match - 1)
	}
	if i <= p.lo || !u.tokens[i].identifier() || slices.Contains(spaces, u.tokens[i].text) {
		return -1
	}
	for j := u.prev(i - 1); j >= p.lo; j = u.prev(j - 1) {
		switch t := &u.tokens[j]; {
		case t.is("const"), t.is("volatile"), t.is("struct"), t.is("typename"), slices.Contains(spaces, t.text):
		case t.is("::"):
			return -1
		default:
			return i
		}
	}
	return -1
}

// innerName is the name in a declarator such as (&name)[4]; -1 if the parenthesis at i does not begin one.
func (u *Unit) innerName(i int) int {
	if !u.tokens[i+1].is("&") && !u.tokens[i+1].is("*") {
		return -1
	}
	if n := u.tokens[i].match - 1; n > i && u.tokens[n].identifier() {
		return n
	}
	return -1
}

// source is the text of a span as written, except for spaces.
func (u *Unit) source(s span) string {
	var b strings.Builder
	for i := s.lo; i < s.hi; i++ {
		b.WriteString(u.tokens[i].text)
	}
	return b.String()
}

// typeText is a type as shown to users, with template parameters replaced.
func (u *Unit) typeText(s span, replace map[string]string) string {
	var b strings.Builder
	last := ""
	for i := s.lo; i < s.hi; i++ {
		t := &u.tokens[i]
		if t.drop || t.is("kernel") || t.is("constant") && last == "" && replace == nil || t.is("thread") && last == "" {
			continue
		}
		text := t.text
		if r, ok := replace[text]; ok && t.identifier() {
			text = r
		}
		if spaced(last, text) {
			b.WriteByte(' ')
		}
		b.WriteString(text)
		last = text
	}
	return b.String()
}

// spaced reports whether there is a space between two tokens.
func spaced(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	wordy := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	end, start := a[len(a)-1], b[0]
	return wordy(start) && (wordy(end) || strings.ContainsRune(">*&,", rune(end))) || (start == '*' || start == '&') && (wordy(end) || end == '>') && end != start
}
