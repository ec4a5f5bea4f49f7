package norm

import (
	"math"

	"assay/shaders"
)

// LayerNormParams is the parameter struct of layernorm: a [Rows, Cols] matrix.
type LayerNormParams struct {
	Rows, Cols uint32
	Eps        float32
}

// Dims returns the dimensions of the matrix.
func (p LayerNormParams) Dims() (rows, cols uint32) { return p.Rows, p.Cols }

func layerNormOp() *shaders.Op {
	return &shaders.Op{
		Name:   "layernorm",
		About:  "out[r,c] = (x[r,c] - mean of x[r,·]) / sqrt(variance of x[r,·] + eps) · weight[c] + bias[c]",
		Params: LayerNormParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: area},
			{Name: "weight", Type: shaders.Var, Len: cols},
			{Name: "bias", Type: shaders.Var, Len: cols},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: area},
		},
		Cost: func(c shaders.Call) shaders.Cost { // a difference, its square and two sums; a difference, two products and a sum
			return shaders.Cost{Ops: 8 * float64(area(c)), Bytes: float64(c.Type.Bytes(2*area(c)) + c.Type.Bytes(2*cols(c)))}
		},
		Reference: layerNormReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			t := shaders.SumTolerance(cols(c), c.Type)
			t.Why += "; the deviation loses what the distance from the mean cancels"
			return t
		},
		Cases: layerNormCases(),
		Prefer: preferences(
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {4, 2, 2048}, {4, 1, 32768}},
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {4, 2, 2048}, {4, 1, 8192}, {8, 1, 32768}}),
	}
}

// layerNormRows is an implementation with its own source: one pass over a row for its statistics, or TwoPass.
func layerNormRows(op *shaders.Op, name string) *shaders.Impl {
	title, about := passes(name, "layer normalization of rows")
	return &shaders.Impl{
		Op: op, Name: name, Title: title, About: about, Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16},
		Source: shaders.Embedded(files, "layernorm.metal"), Launch: launch, Tunables: tunables(),
		Cases: tuned(name, func(rows, cols uint32) any { return LayerNormParams{rows, cols, 1e-5} }),
	}
}

// layerNormReference has errors of a normalized element that grow with the element's size relative to the row's deviation.
func layerNormReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	n := cols(c)
	row, col := i/n, i%n
	moments := c.PerRow(row, func() []float64 { return meanAndVariance(args[0].At, row*n, n) })
	return layerNormalized(args[0].At(i), moments, args[1].At(col), args[2].At(col), c.Params.(LayerNormParams).Eps)
}

// layerNormalized is an element of a row with this mean and variance.
func layerNormalized(x float64, moments []float64, weight, bias float64, eps float32) shaders.Value {
	scale := weight / math.Sqrt(moments[1]+float64(eps))
	return shaders.Value{
		Want:  (x-moments[0])*scale + bias,
		Scale: (math.Abs(x)+math.Abs(moments[0])+math.Sqrt(moments[1]))*math.Abs(scale) + math.Abs(bias),
	}
}

// meanAndVariance returns the mean and variance of n elements from `first` on.
func meanAndVariance(x func(int) float64, first, n int) []float64 {
	var sum, squares float64
	for i := first; i < first+n; i++ {
		sum += x(i)
	}
	mean := sum / float64(n)
	for i := first; i < first+n; i++ {
		d := x(i) - mean
		squares += d * d
	}
	return []float64{mean, squares / float64(n)}
}

func layerNormCases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []LayerNormParams{
		{0, 5, 1e-5},
		{1, 1, 1e-5},
		{3, 7, 1e-3},
		{2, 32, 1e-6},
		{5, 257, 1e-5},
		{17, 1000, 1e-5},
		{3, 5003, 1e-5},
	} {
		cases = append(cases, shaders.Case{Params: p})
	}
	return append(cases, shaders.Case{Params: LayerNormParams{5, 300, 1e-5}, Magnitude: 1000})
}
