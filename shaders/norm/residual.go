package norm

import (
	"math"

	"assay/shaders"
)

// addLayerNorm is what a transformer does between its blocks: it adds a block's output to its input, and normalizes the sum for
// the next block, which needs both.
func addLayerNorm() *shaders.Impl {
	op := &shaders.Op{
		Name: "add_layernorm", About: "sum = x + y; out = the layer normalization of the rows of sum", Params: LayerNormParams{},
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: area},
			{Name: "y", Type: shaders.Var, Len: area},
			{Name: "weight", Type: shaders.Var, Len: cols},
			{Name: "bias", Type: shaders.Var, Len: cols},
			{Name: "sum", Type: shaders.Var, Access: shaders.Out, Len: area},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: area},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 9 * float64(area(c)), Bytes: float64(c.Type.Bytes(4*area(c)) + c.Type.Bytes(2*cols(c)))}
		},
		Reference: residualReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			t := shaders.SumTolerance(cols(c), c.Type)
			t.Why += "; the deviation loses what the distance from the mean cancels"
			return t
		},
		Cases: []shaders.Case{
			{Params: LayerNormParams{0, 5, 1e-5}},
			{Params: LayerNormParams{1, 1, 1e-5}},
			{Params: LayerNormParams{5, 257, 1e-5}},
			{Params: LayerNormParams{3, 1028, 1e-5}},
		},
		Prefer: Keep(
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {2, 2, 2048}, {2, 1, 16384}, {4, 1, 65536}},
			[][3]int32{{1, 4, 512}, {2, 4, 1024}, {2, 2, 2048}, {2, 1, 16384}, {8, 1, 65536}}),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16},
		Source: shaders.Embedded(files, "residual.metal"), Launch: launch, Tunables: tunables(),
		Cases: []shaders.Case{{Params: LayerNormParams{5, 516, 1e-5}, Constants: shaders.Constants{Threads: 32, Rows: 4}}},
	}
}

// addLayerNormRegisters keeps the sums in registers, and stores them on the way.
func addLayerNormRegisters(op *shaders.Op) *shaders.Impl {
	m := inRegisters(op, func(rows, cols uint32) any { return LayerNormParams{rows, cols, 1e-5} })
	m.About, m.Types = "sums kept in registers, each normalized as it was stored", []shaders.Type{shaders.F32, shaders.F16}
	return m
}

// residualReference normalizes the sums as they are stored.
func residualReference(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
	sum := func(i int) float64 { return c.Type.Round(args[0].At(i) + args[1].At(i)) }
	if arg == 4 {
		return shaders.Value{Want: args[0].At(i) + args[1].At(i), Scale: math.Abs(args[0].At(i)) + math.Abs(args[1].At(i))}
	}
	n := cols(c)
	row, col := i/n, i%n
	moments := c.PerRow(row, func() []float64 { return meanAndVariance(sum, row*n, n) })
	return layerNormalized(sum(i), moments, args[2].At(col), args[3].At(col), c.Params.(LayerNormParams).Eps)
}
