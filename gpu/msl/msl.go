// Package msl is the front end for compute kernels in the Metal Shading Language, in pure Go: it runs no other program.
//
// It reads the tokens of a preprocessed source, refuses what the language does not allow, and translates the rest to C++ with
// address spaces in its types. A Target describes how the text is emitted for one kind of machine; gpu/msl/shim has a folder
// of headers for each target, which replace metal_stdlib. Package clang runs the compiler before and after, and package exec runs
// kernels on a CPU. Positions in errors always refer to the .metal file.
package msl

import (
	"fmt"
	"strings"
)

// Source is one .metal file. Name is its path: included files are searched for beside it, then in the folders of Include.
type Source struct {
	Name, Text string
	Include    []string
	Macros     map[string]string // as -D name=value
}

// ArgKind is the kind of binding of an entry point's argument.
type ArgKind uint8

// Kinds of arguments.
const (
	Buffer ArgKind = iota
	Threadgroup
	Builtin
)

// String names the kind as the attribute does.
func (k ArgKind) String() string {
	return [...]string{"buffer", "threadgroup", "builtin"}[k]
}

// Space is the address space of a buffer argument.
type Space uint8

// Address spaces. None is that of values.
const (
	NoSpace Space = iota
	Device
	ConstantSpace
	ThreadgroupSpace
)

// String is the keyword of the address space.
func (s Space) String() string {
	return [...]string{"", "device", "constant", "threadgroup"}[s]
}

// Access is how a kernel may access an argument, according to const.
type Access uint8

// Access modes.
const (
	Read Access = iota
	ReadWrite
)

// String is "read" or "read-write".
func (a Access) String() string { return [...]string{"read", "read-write"}[a] }

// Arg is one argument of an entry point.
type Arg struct {
	Name, Type string
	Kind       ArgKind
	Index      int // of a buffer or threadgroup argument
	Space      Space
	Access     Access
	Builtin    string // the attribute of a Builtin, such as thread_position_in_grid
	Condition  string // the function constant that must be true for the argument to exist; empty: always
	Tensor     *Tensor
}

// Tensor is the type of an argument that is a host tensor, whose elements are in the buffer of the argument's index.
type Tensor struct {
	Element string  // as written, with the address space
	Extents []int64 // of each dimension; −1: set by the host
	// Shape is the offset of its extents, followed by its strides, in the buffer Entry.Shapes.
	Shape int
}

// Shapes is the buffer with the shapes of an entry point's tensors: Count integers of 64 bits, the extents and strides of each, in
// elements.
type Shapes struct{ Index, Count int }

// Entry is one entry point.
type Entry struct {
	Name string
	File string // where it is written
	Line int
	// MaxThreads is max_total_threads_per_threadgroup; 0 if it is not given or depends on template arguments.
	MaxThreads int
	Args       []Arg
	// Shapes is a buffer that is not in Args: the front end adds it if arguments are tensors. Otherwise its Count is 0.
	Shapes Shapes
}

// Constant is a function constant. It is Required unless the source asks whether it is defined.
type Constant struct {
	Name, Type string
	Index      int
	Required   bool
}

// Place is a position in a source file. Line and Column count from 1; they are 0 if only the file is known.
type Place struct {
	File         string
	Line, Column int
}

// Diagnostic is one finding. Line and Column count from 1; they are 0 if the finding has no place in a file.
type Diagnostic struct {
	File         string
	Line, Column int
	Severity     string // "error", "warning" or "note"
	Message      string
}

// String is "file:line:column: severity: message".
func (d Diagnostic) String() string {
	if d.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", d.File, d.Severity, d.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Column, d.Severity, d.Message)
}

// CompileError is the error for a source that was refused.
type CompileError struct {
	Diagnostics []Diagnostic
	More        int      // errors that are not among them
	Files       []string // what the preprocessor opened besides the source: a #line directive may name any other file
}

// Error has one line per diagnostic.
func (e *CompileError) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.String()
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%d more errors", e.More))
	}
	return strings.Join(lines, "\n")
}
