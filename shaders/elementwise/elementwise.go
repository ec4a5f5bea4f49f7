// Package elementwise is the family of elementwise operations.
package elementwise

import (
	"embed"
	"math"
	"slices"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Tunables of the operations on N elements.
const (
	Width   = "width"
	Threads = "threads"
)

// UsualThreads is the default number of threads of a threadgroup.
const UsualThreads = 256

// ElementwiseParams is the parameter struct of the operations on N elements.
type ElementwiseParams struct{ N uint32 }

// BiasParams is the parameter struct of add_bias: a [Rows, Cols] matrix.
type BiasParams struct{ Rows, Cols uint32 }

// Family lists the implementations, each in f32 and f16, computed in float and rounded once.
func Family() []*shaders.Impl {
	source := shaders.Embedded(files, "elementwise.metal")
	var all []*shaders.Impl
	for _, m := range maps() {
		all = append(all, m.impl(source))
	}
	return append(append(all, geluInPlace(source), addMulti(source), addBias()), broadcasts()...)
}

func floats() []shaders.Type { return []shaders.Type{shaders.F32, shaders.F16} }

// mapped describes one operation; inputs are in the order of the kernel's arguments.
type mapped struct {
	name   string
	inputs []string
	ops    float64 // arithmetic operations per element
	about  string
	eval   func(in [3]float64) shaders.Value
}

func maps() []mapped {
	ab, x := []string{"a", "b"}, []string{"x"}
	all := []mapped{{"add", ab, 1, "out = a + b", add}, {"mul", ab, 1, "out = a · b", mul}}
	for _, a := range shaders.Activations()[1:] {
		all = append(all, mapped{a.Name, x, a.Ops, "out = " + a.About, then(a, same)})
	}
	relu := shaders.Activations()[shaders.ActRelu]
	return append(all,
		mapped{"gelu_erf", x, 16, "out = GELU(x), erf form", geluErf},
		mapped{"silu", x, 4, "out = x · σ(x)", silu},
		mapped{"add_relu", ab, 2, "out = max(a + b, 0) in one pass", then(relu, add)},
		mapped{"mul_relu", ab, 2, "out = max(a · b, 0) in one pass", then(relu, mul)},
		mapped{"silu_mul", ab, 5, "out = a · σ(a) · b in one pass", siluMul},
		mapped{"affine", []string{"x", "scale", "bias"}, 2, "out = x · scale + bias in one pass", affine},
	)
}

func same(in [3]float64) shaders.Value { return shaders.Value{Want: in[0], Scale: math.Abs(in[0])} }

// GeluErf is the erf form of GELU: ½·x·erfc(−x/√2).
func GeluErf(x float64) float64 { return 0.5 * x * math.Erfc(-x/math.Sqrt2) }

func geluErf(in [3]float64) shaders.Value {
	return shaders.Value{Want: GeluErf(in[0]), Scale: math.Abs(in[0])}
}

func silu(in [3]float64) shaders.Value {
	return shaders.Value{Want: in[0] / (1 + math.Exp(-in[0])), Scale: math.Abs(in[0])}
}

func siluMul(in [3]float64) shaders.Value {
	v := in[0] / (1 + math.Exp(-in[0])) * in[1]
	return shaders.Value{Want: v, Scale: math.Abs(in[0] * in[1])}
}

func add(in [3]float64) shaders.Value {
	return shaders.Value{Want: in[0] + in[1], Scale: math.Abs(in[0]) + math.Abs(in[1])}
}

func mul(in [3]float64) shaders.Value {
	v := in[0] * in[1]
	return shaders.Value{Want: v, Scale: math.Abs(v)}
}

func affine(in [3]float64) shaders.Value {
	v := in[0] * in[1]
	return shaders.Value{Want: v + in[2], Scale: math.Abs(v) + math.Abs(in[2])}
}

// then returns f followed by an activation of its result.
func then(a shaders.Activation, f func([3]float64) shaders.Value) func([3]float64) shaders.Value {
	return func(in [3]float64) shaders.Value {
		v := f(in)
		v.Want = a.Eval(v.Want)
		return v
	}
}

func count(c shaders.Call) int { return int(c.Params.(ElementwiseParams).N) }

func valid(c shaders.Call) error { return shaders.Indexable("elements", count(c)) }

func (m mapped) impl(source shaders.Source) *shaders.Impl {
	var args []shaders.Arg
	for _, name := range m.inputs {
		args = append(args, shaders.Arg{Name: name, Type: shaders.Var, Len: count})
	}
	args = append(args, shaders.Arg{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: count})
	op := &shaders.Op{
		Name: m.name, About: m.about, Params: ElementwiseParams{}, Args: args,
		Valid: valid,
		Cost: func(c shaders.Call) shaders.Cost {
			n := count(c)
			return shaders.Cost{Ops: m.ops * float64(n), Bytes: float64(len(args) * c.Type.Bytes(n))}
		},
		Reference: func(_ shaders.Call, args []shaders.View, _, i int) shaders.Value {
			var in [3]float64
			for j := range m.inputs {
				in[j] = args[j].At(i)
			}
			return m.eval(in)
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     shortCases(),
	}
	impl := &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: floats(), Source: source, Launch: launch, Tunables: tunables(), MaxThreads: maxThreads,
	}
	if slices.Contains([]string{"add", "relu", "affine"}, m.name) { // one for each number of inputs: others use the same code
		op.Cases, impl.Cases = cases(), tunedCases()
	}
	return impl
}

// geluInPlace is GELU that overwrites its input, as frameworks do to save memory.
func geluInPlace(source shaders.Source) *shaders.Impl {
	gelu := shaders.Activations()[shaders.ActGelu]
	op := &shaders.Op{
		Name: "gelu_inplace", About: "x = GELU(x), tanh form", Params: ElementwiseParams{},
		Args:  []shaders.Arg{{Name: "x", Type: shaders.Var, Access: shaders.InOut, Len: count}},
		Valid: valid,
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: gelu.Ops * float64(count(c)), Bytes: float64(2 * c.Type.Bytes(count(c)))}
		},
		Reference: func(_ shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return then(gelu, same)([3]float64{args[0].At(i)})
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     []shaders.Case{{Params: ElementwiseParams{0}}, {Params: ElementwiseParams{7}}, {Params: ElementwiseParams{1003}}},
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: floats(), Source: source, Launch: launch, Tunables: tunables(), MaxThreads: maxThreads,
	}
}

// launch has threads of `width` elements, in threadgroups of `threads`.
func launch(c shaders.Call, _ shaders.Limits) shaders.Launch {
	threads := uint32(c.Constants[Threads])
	each := uint64(threads) * uint64(c.Constants[Width])
	return shaders.Launch{
		Groups:  [3]uint32{uint32((uint64(count(c)) + each - 1) / each), 1, 1},
		Threads: [3]uint32{threads, 1, 1},
	}
}

func tunables() []shaders.Tunable {
	return []shaders.Tunable{
		{
			Name: Width, Index: 0, Values: []int32{1, 2, 4, 8}, Default: 4,
			About: "adjacent elements per thread, in vectors of two or four",
		},
		{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{32, 64, 128, 256, 512, 1024, 2048, 4096}, Default: UsualThreads,
			About: "threads per threadgroup, up to the device's limit",
		},
		shaders.AttributeTunable(0),
	}
}

// maxThreads returns the threads of every launch.
func maxThreads(c shaders.Constants) int { return int(c[Threads]) }

func tunedCases() []shaders.Case {
	p := ElementwiseParams{1003}
	return []shaders.Case{
		{Params: p, Constants: shaders.Constants{Width: 1, Threads: 1024}},
		{Params: p, Constants: shaders.Constants{Width: 2, Threads: 32}},
		{Params: p, Constants: shaders.Constants{Width: 8, shaders.BoundThreads: 1}},
	}
}

func shortCases() []shaders.Case {
	var cases []shaders.Case
	for _, n := range []uint32{0, 1, 17, 1000} {
		cases = append(cases, shaders.Case{Params: ElementwiseParams{n}})
	}
	return cases
}

func cases() []shaders.Case {
	var cases []shaders.Case
	for _, n := range []uint32{0, 1, 3, 4, 15, 16, 17, 255, 1000, 4096, 70001} {
		cases = append(cases, shaders.Case{Params: ElementwiseParams{n}})
	}
	return cases
}
