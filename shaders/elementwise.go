package shaders

import "math"

// ElementwiseParams is the parameter struct of the elementwise kernels.
type ElementwiseParams struct{ N uint32 }

// BiasParams is the parameter struct of add_bias: a [Rows, Cols] matrix.
type BiasParams struct{ Rows, Cols uint32 }

// elementwiseOp describes one operation; args are in the order of the kernel's inputs.
type elementwiseOp struct {
	name   string
	inputs []string
	ops    float64 // arithmetic operations per element
	about  string
	eval   func(in [3]float64) Value
}

func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

// Gelu is the tanh form of GELU: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
func Gelu(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func add(in [3]float64) Value {
	return Value{in[0] + in[1], math.Abs(in[0]) + math.Abs(in[1])}
}

func mul(in [3]float64) Value {
	v := in[0] * in[1]
	return Value{v, math.Abs(v)}
}

func thenRelu(f func([3]float64) Value) func([3]float64) Value {
	return func(in [3]float64) Value {
		v := f(in)
		return Value{relu(v.Want), v.Scale}
	}
}

func elementwiseOps() []elementwiseOp {
	ab := []string{"a", "b"}
	return []elementwiseOp{
		{"add", ab, 1, "out = a + b", add},
		{"mul", ab, 1, "out = a · b", mul},
		{"relu", []string{"x"}, 1, "out = max(x, 0)", func(in [3]float64) Value {
			return Value{relu(in[0]), math.Abs(in[0])}
		}},
		{"gelu", []string{"x"}, 8, "out = GELU(x), tanh form", func(in [3]float64) Value {
			return Value{Gelu(in[0]), math.Abs(in[0])}
		}},
		{"add_relu", ab, 2, "out = max(a + b, 0) in one pass", thenRelu(add)},
		{"mul_relu", ab, 2, "out = max(a · b, 0) in one pass", thenRelu(mul)},
		{"affine", []string{"x", "scale", "bias"}, 2, "out = x · scale + bias in one pass", func(in [3]float64) Value {
			v := in[0] * in[1]
			return Value{v + in[2], math.Abs(v) + math.Abs(in[2])}
		}},
	}
}

// Elementwise lists the elementwise kernels, each in f32 and f16 (computed in float, rounded once).
func Elementwise() []Kernel {
	var all []Kernel
	for _, op := range elementwiseOps() {
		all = append(all, elementwiseKernel(op, F32), elementwiseKernel(op, F16))
	}
	return append(all, addBiasKernel(F32), addBiasKernel(F16))
}

func elementwiseKernel(op elementwiseOp, t Type) Kernel {
	n := func(p any) int { return int(p.(ElementwiseParams).N) }
	var args []Arg
	for _, name := range op.inputs {
		args = append(args, Arg{Name: name, Type: t, Len: n})
	}
	args = append(args, Arg{Name: "out", Type: t, Access: Out, Len: n})
	return Kernel{
		Name: op.name + "_" + t.String(), File: "elementwise.metal", About: op.about,
		Params: ElementwiseParams{}, Args: args,
		Launch: func(p any) Launch { return linear(n(p), 4) },
		Cost: func(p any, _ Constants) Cost {
			return Cost{op.ops * float64(n(p)), float64(len(args) * t.Bytes(n(p)))}
		},
		Reference: func(_ any, _ Constants, args []View, _, i int) Value {
			var in [3]float64
			for j := range op.inputs {
				in[j] = args[j].At(i)
			}
			return op.eval(in)
		},
		Tolerance: func(any, Constants) Tolerance { return rounding(t) },
		Cases:     elementwiseCases(),
	}
}

func addBiasKernel(t Type) Kernel {
	n := func(p any) int { return product(int(p.(BiasParams).Rows), int(p.(BiasParams).Cols)) }
	cols := func(p any) int { return int(p.(BiasParams).Cols) }
	return Kernel{
		Name: "add_bias_" + t.String(), File: "elementwise.metal", About: "out[r,c] = x[r,c] + bias[c]",
		Params: BiasParams{},
		Args: []Arg{
			{Name: "x", Type: t, Len: n},
			{Name: "bias", Type: t, Len: cols},
			{Name: "out", Type: t, Access: Out, Len: n},
		},
		Launch: func(p any) Launch {
			q := p.(BiasParams)
			return Launch{Groups: [3]uint32{(q.Cols + 31) / 32, (q.Rows + 7) / 8, 1}, Threads: [3]uint32{32, 8, 1}}
		},
		Cost: func(p any, _ Constants) Cost {
			return Cost{float64(n(p)), float64(t.Bytes(2*n(p) + cols(p)))}
		},
		Reference: func(p any, _ Constants, args []View, _, i int) Value {
			return add([3]float64{args[0].At(i), args[1].At(i % cols(p))})
		},
		Tolerance: func(any, Constants) Tolerance { return rounding(t) },
		Cases: []Case{
			{Params: BiasParams{0, 5}}, {Params: BiasParams{1, 1}}, {Params: BiasParams{3, 17}}, {Params: BiasParams{65, 130}}, {Params: BiasParams{300, 501}},
		},
	}
}

// rounding is the tolerance of a short float computation whose result is stored as t.
func rounding(t Type) Tolerance {
	if t == F16 {
		return Tolerance{2e-6, 6e-8, 1.0 / 1024, "a few float roundings, and a unit in the last place of f16 for the store"}
	}
	return Tolerance{2e-6, 1e-37, 0, "a few float roundings, and a polynomial or fast exp in GELU"}
}

// linear covers n elements with threadgroups of 256 threads, each thread taking `each` elements.
func linear(n, each int) Launch {
	per := 256 * each
	return Launch{Groups: [3]uint32{uint32((n + per - 1) / per), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

func elementwiseCases() []Case {
	var cases []Case
	for _, n := range []uint32{0, 1, 3, 4, 15, 16, 17, 255, 1000, 4096, 70001} {
		cases = append(cases, Case{Params: ElementwiseParams{n}})
	}
	return cases
}
