package quant

import (
	"math"

	"assay/shaders"
)

// A tensor that is one block is quantized in two passes over many threadgroups: extremes finds the minimum, the maximum and the
// sum of magnitudes of its parts; from these, quantize_tensor computes the scale, and then the codes.

// ExtremesParams is the parameter struct of extremes: N floats in Parts equal parts.
type ExtremesParams struct{ N, Parts uint32 }

// TensorParams is the parameter struct of quantize_tensor: a [Rows, Cols] matrix, and the number of parts with known extremes.
type TensorParams struct{ Rows, Cols, Parts uint32 }

// Extremes are the parameters of the first pass over a tensor.
func (p TensorParams) Extremes() ExtremesParams { return ExtremesParams{p.Rows * p.Cols, p.Parts} }

// Matrix describes the codes to dequantize and the GEMMs.
func (p TensorParams) Matrix() QuantParams { return QuantParams{Rows: p.Rows, Cols: p.Cols} }

const (
	chunk    = 16384 // elements or bytes that a threadgroup takes, like QUANTIZE_CHUNK
	maxParts = 1024  // every threadgroup of the second pass reads all of them
)

// Tensor returns the parameters that quantize a [rows, cols] matrix of fewer than 2³² elements as one block.
func Tensor(rows, cols int) TensorParams {
	parts := (shaders.Product(rows, cols) + chunk - 1) / chunk
	return TensorParams{uint32(rows), uint32(cols), uint32(max(1, min(parts, maxParts)))}
}

func (p ExtremesParams) part() int { return (int(p.N) + int(p.Parts) - 1) / int(max(1, p.Parts)) }

func extremes() *shaders.Impl {
	params := func(c shaders.Call) ExtremesParams { return c.Params.(ExtremesParams) }
	n := func(c shaders.Call) int { return int(params(c).N) }
	parts := func(c shaders.Call) int { return int(params(c).Parts) }
	op := &shaders.Op{
		Name: "extremes", About: "the minimum, the maximum and the sum of magnitudes of each of several equal parts of x",
		Params: ExtremesParams{}, Finite: true,
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: n},
			{Name: "lo", Type: shaders.Var, Access: shaders.Out, Len: parts},
			{Name: "hi", Type: shaders.Var, Access: shaders.Out, Len: parts},
			{Name: "sum", Type: shaders.Var, Access: shaders.Out, Len: parts},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 3 * float64(n(c)), Bytes: float64(c.Type.Bytes(n(c)) + 3*c.Type.Bytes(parts(c)))}
		},
		Reference: func(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
			p := params(c)
			from := min(i*p.part(), int(p.N))
			least, greatest, sum := bounds(args[0], from, min(from+p.part(), int(p.N)))
			return []shaders.Value{{Want: least}, {Want: greatest}, {Want: sum, Scale: sum}}[arg-1]
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			return shaders.Tolerance{
				Rel: shaders.SumTolerance(params(c).part(), shaders.F32).Rel,
				Why: "an extreme is exact; the sum as those of products",
			}
		},
		Cases: extremesCases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32}, Source: shaders.Embedded(files, "extremes.metal"),
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			return shaders.Launch{Groups: [3]uint32{params(c).Parts, 1, 1}, Threads: [3]uint32{l.Fit(512), 1, 1}}
		},
	}
}

func extremesCases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []ExtremesParams{{0, 0}, {0, 2}, {1, 1}, {5, 4}, {3, 9}, {1000, 7}, {70_001, 5}} {
		cases = append(cases, shaders.Case{Params: p})
	}
	return cases
}

func tensor(c shaders.Call) TensorParams { return c.Params.(TensorParams) }

// asBlock returns the equivalent call of quantize.
func asBlock(c shaders.Call) shaders.Call {
	c.Params = tensor(c).Matrix()
	return c
}

func quantizeTensor() *shaders.Impl {
	parts := func(c shaders.Call) int { return int(tensor(c).Parts) }
	one := func(c shaders.Call) int { return min(1, elements(asBlock(c))) }
	zero := func(c shaders.Call) int { return min(one(c), zeros(asBlock(c))) }
	op := &shaders.Op{
		Name: "quantize_tensor", About: "x[rows,cols] to codes with one scale, and for integers a zero point, from the extremes and sums of its parts",
		Params: TensorParams{}, Finite: true,
		Args: []shaders.Arg{
			{Name: "x", Len: func(c shaders.Call) int { return elements(asBlock(c)) }},
			{Name: "lo", Len: parts},
			{Name: "hi", Len: parts},
			{Name: "sum", Len: parts},
			{Name: "q", Type: shaders.Var, Access: shaders.Out, Len: func(c shaders.Call) int { return codes(asBlock(c)) }},
			scaleArg("scale", shaders.Out, one),
			scaleArg("zero", shaders.Out, zero),
		},
		Constants: quantizerConstants(),
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{Ops: 4 * float64(elements(asBlock(c))), Bytes: tensorBytes(c)}
		},
		Reference: tensorReference,
		Tolerance: quantizeTolerance,
		Cases:     tensorCases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: Types(), Source: shaders.Embedded(files, "quantize_tensor.metal"),
		Constants: op.Constants,
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			groups := uint32((c.Type.Bytes(codes(asBlock(c))) + chunk - 1) / chunk)
			return shaders.Launch{Groups: [3]uint32{groups, 1, 1}, Threads: [3]uint32{l.Fit(512), 1, 1}}
		},
	}
}

// tensorBytes counts floats, codes, extremes, scale and zero point once.
func tensorBytes(c shaders.Call) float64 {
	if elements(asBlock(c)) == 0 {
		return float64(12 * tensor(c).Parts)
	}
	return bytes(asBlock(c)) + float64(12*tensor(c).Parts)
}

func tensorReference(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
	if arg == 4 {
		return codeReference(asBlock(c), []shaders.View{args[0], args[4], args[5], args[6]}, i)
	}
	s, n := span{lo: math.Inf(1), hi: math.Inf(-1)}, float64(elements(asBlock(c)))
	for part := range int(tensor(c).Parts) {
		s = span{min(s.lo, args[1].At(part)), max(s.hi, args[2].At(part)), s.mean + args[3].At(part)/n}
	}
	if arg == 5 {
		return scaleReference(c, s)
	}
	return zeroReference(c, s)
}

func tensorCases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []TensorParams{{0, 5, 1}, {1, 1, 1}, {40, 1001, 5}, {3, 37, 9}, {7, 129, 3}} {
		cases = append(cases, shaders.Case{Params: p}, shaders.Case{Params: p, Constants: shaders.Constants{Symmetric: 1}})
	}
	const largest = 1e9 // extremes are generated separately: values beyond them are within the range of int32
	return append(cases, halfCases(largest, TensorParams{3, 37, 9}, TensorParams{7, 129, 3})...)
}
