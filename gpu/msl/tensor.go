package msl

import "slices"

// TensorMark is what the headers of tensors are in the preprocessing pass: a declaration that says they were included.
const TensorMark = "struct " + tensorMark + ";\n"

const tensorMark = "assay_includes_tensors"

// Tensors reports whether the program includes a header of tensors. Those are Metal 4's, which also has lambda expressions.
func (u *Unit) Tensors() bool { return u.tensors }

// Include has the emitted text begin with a header, given by its path.
func (u *Unit) Include(path string) { u.include = path }

// findTensors looks for the mark.
func (u *Unit) findTensors() {
	for i := range u.tokens {
		u.tensors = u.tensors || u.tokens[i].text == tensorMark
	}
}

// refusedOperations are those of Metal Performance Primitives that are not supported.
var refusedOperations = []string{"convolution2d", "convolution2d_descriptor"}

// lintOperation refuses an operation on tensors, unless the program has something else of that name.
func (u *Unit) lintOperation(i int) {
	t := &u.tokens[i]
	if u.tensors && t.identifier() && slices.Contains(refusedOperations, t.text) && !u.structs[t.text] && !u.isMember(i) {
		u.errorf(i, "%s is not supported: of Metal Performance Primitives, only matmul2d is", t.text)
	}
}
