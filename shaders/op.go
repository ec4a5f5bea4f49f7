// Package shaders owns what can run. An Op is what is computed: arguments, parameters, validity, cost, a float64
// reference and the tolerance that an engine must meet. An Impl is how: a .metal source, which is the source of truth, or a
// platform library, with its function constants, tunables and launch geometry. A Kernel is an implementation with an
// element type and constants. Each family of operations is a package in the folder of its sources; package catalog lists them.
package shaders

import (
	"fmt"
	"math"
)

// Access reports whether a kernel reads or writes an argument.
type Access uint8

// Access modes of an argument. An InOut argument is read and then overwritten.
const (
	In Access = iota
	Out
	InOut
)

// Var stands for the kernel's own element type in the arguments of an Op.
const Var Type = 255

// Arg is one buffer argument. Its position is its [[buffer(n)]] index; the parameter struct follows the last argument.
type Arg struct {
	Name   string
	Type   Type // Var: the kernel's type
	Access Access
	// If names the constant that must be nonzero for the argument to exist; empty means always.
	If string
	// Half names the constant that makes the elements f16; empty: none does. Sources declare such elements as uchar.
	Half string
	// Len returns the number of elements that the kernel touches.
	Len func(c Call) int
}

// Call is what the functions of an Op or an Impl receive: a kernel's parameters, type and constants. Constants
// holds a value for every tunable; a constant that was not given is 0.
type Call struct {
	Params    any
	Type      Type
	Constants Constants
	last      *sharedRow // nil: nothing is remembered
}

// sharedRow is what the elements of one row have in common.
type sharedRow struct {
	row    int
	values []float64
}

// Remembering returns the call for references that compute what the elements of a row share once for successive elements,
// instead of for each. The arguments must not change in the meantime.
func (c Call) Remembering() Call {
	c.last = &sharedRow{row: -1}
	return c
}

// PerRow returns what compute returns for a row. A reference asks for only one thing.
func (c Call) PerRow(row int, compute func() []float64) []float64 {
	if c.last == nil {
		return compute()
	}
	if c.last.row != row {
		*c.last = sharedRow{row, compute()}
	}
	return c.last.values
}

// Op is an operation: what a kernel computes, regardless of how.
type Op struct {
	Name  string // unique
	About string // one plain sentence
	// Params is the zero value of the parameter struct: 4-byte fields only, matching the family's header in include/params.
	Params any
	Args   []Arg
	// Constants are the switches that change what is computed. An implementation may support fewer.
	Constants []Constant
	// Finite is true if the result for NaN or infinite inputs is undefined; callers must reject such inputs.
	Finite bool
	// Valid refuses parameters that no implementation can run with; nil accepts all.
	Valid func(c Call) error

	Cost func(c Call) Cost
	// Reference computes element i of argument arg, which is written, in float64 from args. In-out arguments hold their
	// previous contents; outputs hold what the kernel stored.
	Reference func(c Call, args []View, arg, i int) Value
	Tolerance func(c Call) Tolerance
	Cases     []Case
	// Prefer chooses an implementation if none is named; see Catalog.Choose.
	Prefer []Preference
}

// Cost is the minimum that one dispatch must do: arithmetic operations (a fused multiply-add counts as 2) and bytes moved
// to and from memory if every operand is touched once; an in-out argument is read and written.
type Cost struct {
	Ops, Bytes float64
}

// Add returns the sum of two costs.
func (c Cost) Add(o Cost) Cost { return Cost{c.Ops + o.Ops, c.Bytes + o.Bytes} }

// Value is one element of a reference result. Scale is the magnitude that rounding errors grow with (for a sum, the
// sum of the magnitudes of its terms), in the same unit as Want.
type Value struct {
	Want, Scale float64
}

// Tolerance bounds |got − want| by Abs + Rel·Scale + Store·|want|, after want is rounded to the output type.
type Tolerance struct {
	Rel   float64 // of the computation, which may involve cancellation
	Abs   float64 // in the output's unit
	Store float64 // of rounding the result to the output type
	Why   string
}

// limit returns the bound for one element. An infinite term bounds nothing: its result is exact.
func (t Tolerance) limit(scale, want float64) float64 {
	limit := t.Abs + t.Rel*scale + t.Store*math.Abs(want)
	if math.IsInf(limit, 0) {
		return t.Abs
	}
	return limit
}

// Indexable refuses sizes beyond what 32-bit kernel indices can reach, with room for one step beyond the end.
func Indexable(what string, n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("%d %s, want at most %d", n, what, math.MaxInt32)
	}
	return nil
}

// Case is one setting of an operation that every engine is tested with.
type Case struct {
	Params    any
	Constants Constants
	Magnitude float64 // float inputs are uniform within ± it; 0: within ± 1
	// Edit changes some elements of argument arg after it was filled; nil changes none.
	Edit func(arg int, v View)
}
