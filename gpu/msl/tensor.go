package msl

import "slices"

// TensorMark is the content of the tensor headers in the preprocessing pass: a declaration showing that they were included.
const TensorMark = "struct " + tensorMark + ";\n"

const tensorMark = "assay_includes_tensors"

// Tensors reports whether the program includes a tensor header. Tensors belong to Metal 4, which also has lambda expressions.
func (u *Unit) Tensors() bool { return u.tensors }

// Include makes the emitted text begin with a header, given by its path.
func (u *Unit) Include(path string) { u.include = path }

// findTensors looks for the mark.
func (u *Unit) findTensors() {
	for i := range u.tokens {
		u.tensors = u.tensors || u.tokens[i].text == tensorMark
	}
}

// refusedOperations are operations of Metal Performance Primitives that are not supported.
var refusedOperations = []string{"convolution2d", "convolution2d_descriptor"}

// lintOperation refuses an operation on tensors, unless the program uses its name for something else.
func (u *Unit) lintOperation(i int) {
	t := &u.tokens[i]
	if u.tensors && t.identifier() && slices.Contains(refusedOperations, t.text) && !u.structs[t.text] && !u.isMember(i) {
		u.errorf(i, "%s is not supported: of Metal Performance Primitives, only matmul2d is", t.text)
	}
}

// subscript translates t[i, j], an element of a tensor, for which C++17 has no operator.
func (u *Unit) subscript(i int) {
	t := &u.tokens[i]
	if !u.tensors || t.match < 0 || !u.ends(u.prev(i-1)) || len(u.split(span{i + 1, t.match})) < 2 {
		return
	}
	t.after += "::msl::index_list("
	end := &u.tokens[t.match]
	end.before = ")" + end.before
}

// ends reports whether an expression may end with token i: after other tokens, brackets begin lambda expressions and bindings.
func (u *Unit) ends(i int) bool {
	if i < 0 {
		return false
	}
	t := &u.tokens[i]
	return t.is(")") || t.is("]") || t.identifier() && !slices.Contains([]string{"auto", "return", "case", "else", "const"}, t.text)
}

// named is a type's name with its template arguments, after resolving aliases.
type named struct {
	at        int // the token of the name
	arguments []span
}

// namedType finds the name that a type begins with.
func (u *Unit) namedType(s span, depth int) (named, bool) {
	for i := u.next(s.lo); i < s.hi; i = u.next(i + 1) {
		t := &u.tokens[i]
		if !t.identifier() || u.text(u.next(i+1)) == "::" || slices.Contains([]string{"const", "typename", "thread"}, t.text) {
			continue
		}
		if alias, ok := u.aliases[t.text]; ok && depth < maxAliases {
			return u.namedType(alias, depth+1)
		}
		n := named{at: i}
		if open := u.next(i + 1); open < len(u.tokens) && u.tokens[open].is("<") {
			n.arguments = u.templateArguments(open)
		}
		return n, true
	}
	return named{}, false
}

// templateArguments returns those between the < at open and its >, which may be half of a >>.
func (u *Unit) templateArguments(open int) []span {
	end := u.angle(open, len(u.tokens))
	if end == 0 {
		return nil
	}
	depth := 0
	for i := open + 1; i < end-1; i++ {
		switch u.tokens[i].text {
		case "<":
			depth++
		case ">":
			depth--
		}
	}
	if depth > 0 { // the last argument ends with the other half
		return u.split(span{open + 1, end})
	}
	return u.split(span{open + 1, end - 1})
}

// tensorOf returns the type of an argument that is a tensor, nil for other types. It returns false if the type has an error.
func (u *Unit) tensorOf(p span, a *Arg, s substitution) (*Tensor, bool) {
	n, ok := u.namedType(p, 0)
	if !u.tensors || !ok || u.text(n.at) != "tensor" || u.structs["tensor"] || len(n.arguments) < 2 {
		return nil, true
	}
	wrong := func(format string, args ...any) (*Tensor, bool) {
		u.errorf(n.at, format, args...)
		u.refuse(p)
		return nil, false
	}
	if len(n.arguments) > 2 && u.source(n.arguments[2]) != "tensor_handle" && u.source(n.arguments[2]) != "metal::tensor_handle" {
		return wrong("argument %s is a tensor of %s, but the host binds only those of tensor_handle", a.Name, u.source(n.arguments[2]))
	}
	u.indirect(n.arguments[0], a, &indirection{}, 0)
	if a.Space != Device && a.Space != ConstantSpace {
		return wrong("the elements of tensor %s need an address space: device or constant", a.Name)
	}
	reference := indirection{}
	if u.indirect(p, &Arg{}, &reference, 0); reference.indirect {
		return wrong("tensor %s is an argument by value, not a pointer or reference", a.Name)
	}
	if a.Access = ReadWrite; a.Space == ConstantSpace || u.has(n.arguments[0], "const") {
		a.Access = Read
	}
	t := &Tensor{Element: u.typeText(n.arguments[0], s.text), Extents: u.extentsOf(n.arguments[1], s)}
	if len(t.Extents) == 0 || len(t.Extents) > maxRank {
		return wrong("the number of dimensions of tensor %s must be a number from 1 to %d", a.Name, maxRank)
	}
	return t, true
}

// maxRank is the maximum number of dimensions of tensors.
const maxRank = 16

// extentsOf returns the extents in a type, −1 for each that the type leaves open; none if it cannot be read.
func (u *Unit) extentsOf(s span, sub substitution) []int64 {
	n, ok := u.namedType(s, 0)
	if !ok || len(n.arguments) == 0 {
		return nil
	}
	if u.text(n.at) == "extents" {
		var all []int64
		for _, e := range n.arguments[1:] {
			v, known := u.evaluate(e, sub.values)
			if !known {
				v = -1
			}
			all = append(all, v)
		}
		return all
	}
	if rank, known := u.evaluate(n.arguments[len(n.arguments)-1], sub.values); known && rank > 0 && rank <= maxRank {
		return slices.Repeat([]int64{-1}, int(rank))
	}
	return nil
}

// placeShapes finds an index for the buffer of shapes, after all others so that it can be the struct that engines pass with each
// launch, and records where each tensor's shape is.
func (u *Unit) placeShapes(e *entry, used map[int]string) {
	count := 0
	for i := range e.Args {
		if t := e.Args[i].Tensor; t != nil {
			t.Shape = count
			count += 2 * len(t.Extents)
		}
	}
	if count == 0 {
		return
	}
	index := 0
	for i := range used {
		index = max(index, i+1)
	}
	if index >= bufferSlots {
		index = 0
		for used[index] != "" {
			index++
		}
	}
	if index >= bufferSlots {
		u.errorf(e.at, "kernel %s uses all %d buffer indices: none is left for the shapes of its tensors", e.Name, bufferSlots)
		return
	}
	e.Shapes = Shapes{index, count}
	for i := range e.Args {
		if t := e.Args[i].Tensor; t != nil {
			e.kinds[i] = "::msl::tensor_arg<" + itoa(e.Args[i].Index) + ", " + itoa(index) + ", " + itoa(t.Shape) + ", " +
				itoa(len(t.Extents)) + ", " + itoa(count) + ">"
		}
	}
}
