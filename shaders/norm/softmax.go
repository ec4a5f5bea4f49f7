package norm

import (
	"math"

	"assay/shaders"
)

// SoftmaxParams is the parameter struct of softmax: a [Rows, Cols] matrix.
type SoftmaxParams struct{ Rows, Cols uint32 }

// Dims returns the dimensions of the matrix.
func (p SoftmaxParams) Dims() (rows, cols uint32) { return p.Rows, p.Cols }

func softmaxOp() *shaders.Op {
	return &shaders.Op{
		Name:   "softmax",
		About:  "out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·])",
		Params: SoftmaxParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: area},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: area},
		},
		Cost: func(c shaders.Call) shaders.Cost { // a comparison, a difference, a power, a sum and a product
			return shaders.Cost{Ops: 5 * float64(area(c)), Bytes: 2 * float64(c.Type.Bytes(area(c)))}
		},
		Reference: softmaxReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			t := shaders.SumTolerance(cols(c), c.Type)
			t.Why += "; the difference from the largest element is rounded, which its power multiplies"
			return t
		},
		Cases: softmaxCases(),
		Prefer: preferences(
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {4, 2, 2048}, {4, 1, 8192}, {8, 1, 16384}, {4, 1, 32768}},
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {4, 1, 2048}, {8, 1, 32768}}),
	}
}

// softmaxRows is an implementation with its own source: one pass over a row for its statistics, or TwoPass.
func softmaxRows(op *shaders.Op, name string) *shaders.Impl {
	title, about := passes(name, "softmax over rows")
	return &shaders.Impl{
		Op: op, Name: name, Title: title, About: about, Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16},
		Source: shaders.Embedded(files, "softmax.metal"), Launch: launch, Tunables: tunables(),
		Cases: tuned(name, func(rows, cols uint32) any { return SoftmaxParams{rows, cols} }),
	}
}

// softmaxMPS is softmax with Metal Performance Shaders.
func softmaxMPS(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: string(shaders.MPS), Library: shaders.MPS, Types: []shaders.Type{shaders.F32, shaders.F16},
		About: "softmax over rows by " + shaders.MPS.Full(),
		Dims: func(c shaders.Call) []uint32 {
			p := c.Params.(SoftmaxParams)
			return []uint32{p.Rows, p.Cols}
		},
	}
}

// softmaxReference is NaN for a whole row that contains NaN or +∞, or only −∞: there is no finite maximum.
func softmaxReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	n := cols(c)
	shared := c.PerRow(i/n, func() []float64 { return shaders.LargestAndSum(args[0], i/n*n, n) })
	largest, sum := shared[0], shared[1]
	below := args[0].At(i) - largest
	v := shaders.Value{Want: math.Exp(below) / sum}
	if v.Want > 0 { // then below is finite
		v.Scale = v.Want * (1 - below)
	}
	return v
}

// softmaxCases have odd sizes, one column, and magnitudes whose powers exceed the range of floats.
func softmaxCases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []SoftmaxParams{{0, 5}, {1, 1}, {5, 1}, {3, 7}, {2, 32}, {9, 33}, {5, 257}, {17, 300}, {1, 2051}} {
		cases = append(cases, shaders.Case{Params: p})
	}
	for _, magnitude := range []float64{20, 1000, 60_000} { // the last is about the largest f16 value
		cases = append(cases, shaders.Case{Params: SoftmaxParams{4, 131}, Magnitude: magnitude})
	}
	return cases
}
