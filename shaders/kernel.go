// Package shaders owns what can run: every kernel is a .metal source, which is the source of truth, and a Go
// description beside it: arguments, parameter struct, function constants, launch geometry, cost, a float64 reference
// and the tolerance an engine must meet. It knows no engine and imports nothing of Assay.
package shaders

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Access says whether a kernel reads or writes an argument.
type Access uint8

// Access modes of an argument.
const (
	In Access = iota
	Out
)

// Arg is one buffer argument. Its position in Kernel.Args is its [[buffer(n)]] index; the parameter struct follows
// the last one.
type Arg struct {
	Name   string
	Type   Type
	Access Access
	// If names the function constant that must be non-zero for the argument to exist; empty means always.
	If string
	// Len is the number of elements the kernel touches with parameters p.
	Len func(p any) int
}

// Constant is a function constant: a switch that is fixed when the kernel is compiled.
type Constant struct {
	Name  string
	Index int   // [[function_constant(Index)]]
	Max   int32 // valid values are 0…Max; the default is 0
	About string
}

// Bool reports whether the source declares the constant as MSL bool, of one byte: so it does those of 0 and 1, and the
// others as int, of four. A compiler must be given a value of that type.
func (c Constant) Bool() bool { return c.Max == 1 }

// Constants gives values to function constants by name; those left out are 0.
type Constants map[string]int32

// Key is a canonical spelling of c, for cache keys and labels: "a=1,b=2".
func (c Constants) Key() string {
	names := make([]string, 0, len(c))
	for n, v := range c {
		if v != 0 {
			names = append(names, fmt.Sprintf("%s=%d", n, v))
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// Launch is the geometry of one dispatch: threadgroups, and threads in each.
type Launch struct {
	Groups, Threads [3]uint32
	// Fewer is true where Threads is an upper bound: the threads loop by threads_per_threadgroup, and an engine whose
	// pipeline allows less than Threads runs as many whole SIMD groups as it does allow. Others need Threads exactly.
	Fewer bool
}

// Cost is what one dispatch must do at least: arithmetic operations (a fused multiply-add counts 2) and bytes moved
// to and from memory when every operand is touched once.
type Cost struct {
	Ops, Bytes float64
}

// Add sums two costs.
func (c Cost) Add(o Cost) Cost { return Cost{c.Ops + o.Ops, c.Bytes + o.Bytes} }

// Value is one element of a reference result. Scale is the magnitude that rounding errors grow with (for a sum, the
// sum of the magnitudes of its terms), in the same unit as Want.
type Value struct {
	Want, Scale float64
}

// Tolerance bounds |got − want| by Abs + Rel·Scale + Store·|want|, after want is rounded to the output type.
type Tolerance struct {
	Rel   float64 // of the computation, which may cancel
	Abs   float64 // in the output's unit
	Store float64 // of rounding the result to the output type
	Why   string
}

// limit is the bound for one element. An infinite term bounds nothing: its result is exact.
func (t Tolerance) limit(scale, want float64) float64 {
	limit := t.Abs + t.Rel*scale + t.Store*math.Abs(want)
	if math.IsInf(limit, 0) {
		return t.Abs
	}
	return limit
}

// Case is one setting of a kernel that every engine is tested with.
type Case struct {
	Params    any
	Constants Constants
}

// Library names the platform's own library that runs a kernel in place of MSL source.
type Library string

// Libraries. Own is none: the kernel is an entry point of a .metal file.
const (
	Own Library = ""
	MPS Library = "mps" // Metal Performance Shaders
)

// Kernel describes one MSL entry point, or an operation of a platform's library.
type Kernel struct {
	Name      string // entry point in the .metal source, if it has one; unique
	File      string // its source, in this folder; empty for a library's kernel
	Library   Library
	About     string // one plain sentence
	Params    any    // zero value of the parameter struct: 4-byte fields only
	Args      []Arg
	Constants []Constant
	// Finite is true where the result for NaN or infinite inputs is not defined; callers must reject them.
	Finite bool
	// Valid refuses parameters that the kernel cannot run with; nil accepts all.
	Valid func(p any) error

	Launch func(p any) Launch
	Cost   func(p any, c Constants) Cost
	// Reference computes element i of output argument arg in float64 from the inputs among args.
	Reference func(p any, c Constants, args []View, arg, i int) Value
	Tolerance func(p any, c Constants) Tolerance
	Cases     []Case
}

// Uses reports whether argument i exists under constants c.
func (k *Kernel) Uses(i int, c Constants) bool {
	cond := k.Args[i].If
	return cond == "" || c[cond] != 0
}

// Check reports whether p and c are of the kernel's kind and c within range.
func (k *Kernel) Check(p any, c Constants) error {
	if got, want := reflect.TypeOf(p), reflect.TypeOf(k.Params); got != want {
		return fmt.Errorf("kernel %s: parameters are %v, want %v", k.Name, got, want)
	}
	if k.Valid != nil {
		if err := k.Valid(p); err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name, err)
		}
	}
	return k.CheckConstants(c)
}

// CheckConstants reports whether c names only constants of the kernel, within their range.
func (k *Kernel) CheckConstants(c Constants) error {
	for name, v := range c {
		i := slices.IndexFunc(k.Constants, func(d Constant) bool { return d.Name == name })
		if i < 0 {
			return fmt.Errorf("kernel %s: no function constant %q", k.Name, name)
		}
		if v < 0 || v > k.Constants[i].Max {
			return fmt.Errorf("kernel %s: function constant %s is %d, want 0…%d", k.Name, name, v, k.Constants[i].Max)
		}
	}
	return nil
}

// product is a·b for sizes below 2³², held below a limit where its bytes would overflow: no buffer is that large.
func product(a, b int) int { return int(min(uint64(a)*uint64(b), math.MaxInt/8)) }

// Bytes is the least size of argument i's buffer with parameters p.
func (k *Kernel) Bytes(i int, p any) int { return k.Args[i].Type.Bytes(k.Args[i].Len(p)) }

// Outputs lists the indices of the arguments that the kernel writes.
func (k *Kernel) Outputs() []int {
	var out []int
	for i, a := range k.Args {
		if a.Access == Out {
			out = append(out, i)
		}
	}
	return out
}
