package quant

import (
	"math"

	"assay/shaders"
)

// RowsParams is the parameter struct of quantize_rows: a [Rows, Cols] matrix.
type RowsParams struct{ Rows, Cols uint32 }

// quantizeRows makes int8 activations, with one scale per row, for integer GEMMs.
func quantizeRows() *shaders.Impl {
	params := func(c shaders.Call) RowsParams { return c.Params.(RowsParams) }
	rows := func(c shaders.Call) int { return int(params(c).Rows) }
	all := func(c shaders.Call) int { return shaders.Product(rows(c), int(params(c).Cols)) }
	op := &shaders.Op{
		Name: "quantize_rows", About: "x[rows,cols] to int8 codes with a scale per row, its largest magnitude over 127",
		Params: RowsParams{}, Finite: true,
		Args: []shaders.Arg{
			{Name: "x", Len: all},
			{Name: "q", Type: shaders.Var, Access: shaders.Out, Len: all},
			{Name: "scale", Access: shaders.Out, Len: rows},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 4 * float64(all(c)), Bytes: float64(4*(all(c)+rows(c)) + c.Type.Bytes(all(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
			cols := int(params(c).Cols)
			if arg == 1 {
				code, apart := codingOf(c.Type).code(args[0].At(i)/args[2].At(i/cols), 0)
				return shaders.Value{Want: code, Scale: apart / quantRel(c)}
			}
			least, greatest, _ := bounds(args[0], i*cols, (i+1)*cols)
			scale := max(-least, greatest) / codingOf(c.Type).hi
			if !(scale >= smallestNormal) {
				scale = 1
			}
			return shaders.Value{Want: scale, Scale: math.Abs(scale)}
		},
		Tolerance: quantizeTolerance,
		Cases: []shaders.Case{
			{Params: RowsParams{0, 7}},
			{Params: RowsParams{2, 0}},
			{Params: RowsParams{1, 1}},
			{Params: RowsParams{5, 33}},
			{Params: RowsParams{3, 1028}},
			{Params: RowsParams{4, 64}, Edit: func(arg int, v shaders.View) {
				for i := 0; arg == 0 && i < 64; i++ {
					v.Set(64+i, 0)
				}
			}},
		},
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.I8}, Source: shaders.Embedded(files, "quantize_rows.metal"),
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			return shaders.Launch{Groups: [3]uint32{params(c).Rows, 1, 1}, Threads: [3]uint32{l.Fit(256), 1, 1}}
		},
	}
}
