package shaders

import (
	"math"
	"slices"
)

// Activation is a function of one value that a kernel applies, as an elementwise operation or in an epilogue.
type Activation struct {
	Name  string // of its elementwise operation
	Title string
	About string // what it computes from x
	Ops   float64
	Slope float64 // the maximum slope: an error of x grows by this factor
	Eval  func(x float64) float64
}

// Values of the constants that select an activation. include/params/activation.h has the kernels' values.
const (
	ActNone int32 = iota
	ActRelu
	ActGelu
)

// activations is the table of activations by the constant's value. It is never written to.
var activations = [...]Activation{
	ActNone: {Name: "none", Title: "none", About: "x", Slope: 1, Eval: func(x float64) float64 { return x }},
	ActRelu: {Name: "relu", Title: "ReLU", About: "max(x, 0)", Ops: 1, Slope: 1, Eval: relu},
	ActGelu: {Name: "gelu", Title: "GELU (tanh form)", About: "GELU(x), tanh form", Ops: 8, Slope: 1.13, Eval: gelu},
}

// Activations lists the activations in the order of the constant's values; the first one changes nothing.
func Activations() []Activation { return slices.Clone(activations[:]) }

// ActivationOf returns the activation for a value of the constant without copying the list: references call it for each element.
func ActivationOf(value int32) Activation { return activations[value] }

// relu is max(x, 0), and NaN for NaN.
func relu(x float64) float64 {
	if x < 0 {
		return 0
	}
	return x
}

// gelu is the tanh form of GELU: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
func gelu(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}
