package norm

import (
	"math"

	"assay/shaders"
)

// RMSNormParams is the parameter struct of rmsnorm: a [Rows, Cols] matrix.
type RMSNormParams struct {
	Rows, Cols uint32
	Eps        float32
}

func rmsNorm() *shaders.Impl {
	op := &shaders.Op{
		Name:   "rmsnorm",
		About:  "x[r,c] = x[r,c] / sqrt(mean of x[r,·]² + eps) · weight[c], in place",
		Params: RMSNormParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Access: shaders.InOut, Len: area},
			{Name: "weight", Type: shaders.Var, Len: cols},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 4 * float64(area(c)), Bytes: float64(c.Type.Bytes(2*area(c)) + c.Type.Bytes(cols(c)))}
		},
		Reference: reference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.SumTolerance(cols(c), c.Type) },
		Cases:     cases(),
		Prefer:    preferences([][3]int32{{1, 4, 512}, {2, 4, 1024}, {2, 2, 2048}, {2, 1, 8192}, {4, 1, 32768}}, nil),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16},
		Source: shaders.Embedded(files, "rmsnorm.metal"), Launch: launch,
		Tunables: tunables(),
		Cases:    tunedCases(),
	}
}

// Dims returns the dimensions of the matrix.
func (p RMSNormParams) Dims() (rows, cols uint32) { return p.Rows, p.Cols }

func reference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	n := cols(c)
	row, col := i/n, i%n
	sum := c.PerRow(row, func() []float64 {
		sum := 0.0
		for d := range n {
			x := args[0].At(row*n + d)
			sum += x * x
		}
		return []float64{sum}
	})[0]
	v := args[0].At(i) / math.Sqrt(sum/float64(n)+float64(c.Params.(RMSNormParams).Eps)) * args[1].At(col)
	return shaders.Value{Want: v, Scale: math.Abs(v)}
}

func cases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []RMSNormParams{
		{0, 5, 1e-5},
		{1, 1, 1e-5},
		{3, 7, 0},
		{2, 32, 1e-6},
		{5, 257, 1e-5},
		{17, 1000, 1e-5},
		{3, 5003, 1e-5},
	} {
		cases = append(cases, shaders.Case{Params: p})
	}
	return cases
}

func tunedCases() []shaders.Case {
	return tuned(shaders.Plain, func(rows, cols uint32) any { return RMSNormParams{rows, cols, 1e-5} })
}
