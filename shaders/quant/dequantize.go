package quant

import (
	"math"

	"assay/shaders"
)

func dequantize() *shaders.Impl {
	op := &shaders.Op{
		Name: "dequantize", About: "codes back to floats: (q - zero) · scale", Params: QuantParams{},
		Args: []shaders.Arg{
			{Name: "q", Type: shaders.Var, Len: codes},
			scaleArg("scale", shaders.In, blocks),
			scaleArg("zero", shaders.In, zeros),
			{Name: "out", Access: shaders.Out, Len: elements},
		},
		Constants: []shaders.Constant{HalfScalesConstant()},
		Valid:     func(c shaders.Call) error { return params(c).Valid(c.Type) },
		Cost:      func(c shaders.Call) shaders.Cost { return shaders.Cost{Ops: 2 * float64(elements(c)), Bytes: bytes(c)} },
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			q := params(c)
			return Dequantized(q, args[0], args[1], args[2], i/int(q.Cols), i%int(q.Cols))
		},
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Rounding(shaders.F32) },
		Cases:     dequantizeCases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: Types(), Source: shaders.Embedded(files, "dequantize.metal"),
		Constants: op.Constants, Launch: dequantizeLaunch,
	}
}

// dequantizeLaunch has threads for `each` codes of a row; a threadgroup takes several rows if they are short.
func dequantizeLaunch(c shaders.Call, l shaders.Limits) shaders.Launch {
	const each = 2 * 4 // PIECES times four, in the source
	q, threads := params(c), l.Fit(256)
	across := min(threads, max(32, (min(q.Cols, 1<<20)+32*each-1)/(32*each)*32))
	down := max(1, min(q.Rows, threads/across))
	return shaders.Launch{
		Groups:  [3]uint32{(q.Cols + each*across - 1) / (each * across) * ((q.Rows + down - 1) / down), 1, 1},
		Threads: [3]uint32{across, down, 1},
	}
}

// Dequantized returns element (row, col) of a quantized matrix.
func Dequantized(q QuantParams, codes, scale, zero shaders.View, row, col int) shaders.Value {
	b := q.BlockOf(row, col)
	s, z := scale.At(b), 0.0
	if codingOf(codes.Type).zeros {
		z = zero.At(b)
	}
	code := codes.At(row*stride(int(q.Cols), codes.Type) + col)
	return shaders.Value{Want: (code - z) * s, Scale: (math.Abs(code) + math.Abs(z)) * math.Abs(s)}
}

func dequantizeCases() []shaders.Case {
	var cases []shaders.Case
	for _, q := range []QuantParams{
		{0, 7, 32},
		{1, 1, 0},
		{1, 1, 32},
		{3, 33, 32},
		{5, 100, 64},
		{7, 129, 0},
		{64, 256, 128},
		{9, 255, 256},
		{33, 31, 32},
		{3, 37, 1 << 31},
	} {
		cases = append(cases, shaders.Case{Params: q})
	}
	return append(cases, InHalf(cases[4:9]...)...)
}
