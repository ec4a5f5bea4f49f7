package chain

import (
	"math"

	"assay/shaders"
	"assay/shaders/elementwise"
)

// Code is an operation of a chain: an index into the table of operations, with the same numbers as in params/chain.h.
type Code uint8

// Operation is what one step of a chain computes from one element of each operand.
type Operation struct {
	Name     string
	Operands int
	Ops      float64 // arithmetic operations, as counted by the elementwise kernel of that name
	MSL      string  // of x and y
	About    string  // description
	Eval     func(x, y float64) float64
	Cancels  bool // it ends with x times a sum that may cancel: its error is relative to x
}

func unary(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// operations is the table of operations by code. It is never written to.
var operations = [...]Operation{
	{"add", 2, 1, "x + y", "x + y", func(x, y float64) float64 { return x + y }, false},
	{"sub", 2, 1, "x - y", "x - y", func(x, y float64) float64 { return x - y }, false},
	{"mul", 2, 1, "x * y", "x · y", func(x, y float64) float64 { return x * y }, false},
	{"div", 2, 1, "x / y", "x ÷ y", func(x, y float64) float64 { return x / y }, false},
	{"max", 2, 1, "x > y ? x : y", "the larger of x and y", math.Max, false},
	{"min", 2, 1, "x < y ? x : y", "the smaller of x and y", math.Min, false},
	{"relu", 1, 1, "act_relu(x)", "max(x, 0)", unary(shaders.Activations()[shaders.ActRelu].Eval), false},
	{"gelu", 1, 8, "act_gelu(x)", "GELU(x), tanh form", unary(shaders.Activations()[shaders.ActGelu].Eval), true},
	{"gelu_erf", 1, 16, "chain_gelu_erf(x)", "GELU(x), erf form", unary(elementwise.GeluErf), true},
	{"silu", 1, 4, "x / (1.0f + exp(-x))", "x · σ(x)", unary(func(x float64) float64 { return x * sigmoid(x) }), false},
	{"sigmoid", 1, 4, "1.0f / (1.0f + exp(-x))", "1 ÷ (1 + e⁻ˣ)", unary(sigmoid), false},
	{"tanh", 1, 6, "tanh(x)", "the hyperbolic tangent", unary(math.Tanh), false},
	{"exp", 1, 3, "exp(x)", "eˣ", unary(math.Exp), false},
	{"log", 1, 3, "log(x)", "the natural logarithm", unary(math.Log), false},
	{"sqrt", 1, 1, "sqrt(x)", "square root of x", unary(math.Sqrt), false},
	{"rsqrt", 1, 2, "rsqrt(x)", "1 ÷ square root of x", unary(func(x float64) float64 { return 1 / math.Sqrt(x) }), false},
	{"neg", 1, 1, "-x", "-x", unary(func(x float64) float64 { return -x }), false},
	{"abs", 1, 1, "fabs(x)", "|x|", unary(math.Abs), false},
	{"square", 1, 1, "x * x", "x²", unary(func(x float64) float64 { return x * x }), false},
}

// Operations lists the operations in the order of their codes.
func Operations() []Operation { return append([]Operation(nil), operations[:]...) }

// rounding is the maximum error of one step, relative to its result: a few roundings, and a fast power in some.
const rounding = 2e-6

// doubtful stands for an unbounded error.
const doubtful = 1e300

// Apply computes a step on values whose Scale is their maximum error, in units of rounding, and returns the result with its own.
// The error of an operand is propagated by trying both of its ends.
func (c Code) Apply(x, y shaders.Value) shaders.Value {
	op := &operations[c]
	want := op.Eval(x.Want, y.Want)
	off := 0.0
	for _, d := range [2]float64{-1, 1} {
		off = math.Max(off, math.Abs(op.Eval(x.Want+d*rounding*x.Scale, y.Want)-want))
	}
	if op.Operands == 2 {
		other := 0.0
		for _, d := range [2]float64{-1, 1} {
			other = math.Max(other, math.Abs(op.Eval(x.Want, y.Want+d*rounding*y.Scale)-want))
		}
		off += other
	}
	scale := off/rounding + math.Abs(want)
	if op.Cancels {
		scale += math.Abs(x.Want)
	}
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		scale = doubtful
	}
	return shaders.Value{Want: want, Scale: scale}
}
