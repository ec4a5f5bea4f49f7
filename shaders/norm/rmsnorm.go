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
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16},
		Source: shaders.Embedded(files, "rmsnorm.metal"), Launch: launch,
		Tunables: []shaders.Tunable{
			{
				Name: Threads, Index: shaders.LaunchOnly, Values: []int32{32, 64, 128, 256, 512, 1024}, Default: 256,
				About: "threads that share a row",
			},
			{
				Name: Rows, Index: shaders.LaunchOnly, Values: []int32{1, 2, 4, 8}, Default: 1,
				About: "rows of a threadgroup, as far as its threads are enough",
			},
		},
		Cases: tunedCases(),
	}
}

func cols(c shaders.Call) int { return int(c.Params.(RMSNormParams).Cols) }

func area(c shaders.Call) int {
	p := c.Params.(RMSNormParams)
	return shaders.Product(int(p.Rows), int(p.Cols))
}

// launch has threadgroups of `threads` × `rows` threads; each SIMD group has a float of threadgroup memory.
func launch(c shaders.Call, l shaders.Limits) shaders.Launch {
	p := c.Params.(RMSNormParams)
	threads, rows := l.Fit(uint32(c.Constants[Threads])), uint32(c.Constants[Rows])
	most := uint32(1024)
	if l.Threads > 0 {
		most = min(most, uint32(l.Threads))
	}
	rows = max(1, min(rows, most/threads))
	return shaders.Launch{
		Groups:  [3]uint32{(p.Rows + rows - 1) / rows, 1, 1},
		Threads: [3]uint32{threads, rows, 1},
		Shared:  []int{int(threads/32*rows*4+15) / 16 * 16},
	}
}

func reference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	n := cols(c)
	row, col := i/n, i%n
	sum := c.PerRow(row, func() (sum [2]float64) {
		for d := range n {
			x := args[0].At(row*n + d)
			sum[0] += x * x
		}
		return sum
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

// tunedCases leave threads without a column, and threadgroups without a row.
func tunedCases() []shaders.Case {
	p := RMSNormParams{5, 257, 1e-5}
	return []shaders.Case{
		{Params: p, Constants: shaders.Constants{Threads: 32, Rows: 8}},
		{Params: p, Constants: shaders.Constants{Threads: 1024, Rows: 4}},
		{Params: p, Constants: shaders.Constants{Threads: 128, Rows: 2}},
	}
}
