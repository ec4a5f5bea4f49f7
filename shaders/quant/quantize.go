package quant

import (
	"encoding/binary"
	"errors"
	"math"

	"assay/shaders"
)

const smallestNormal = 1.17549435e-38

func quantize() *shaders.Impl {
	op := &shaders.Op{
		Name: "quantize", About: "x[rows,cols] to codes with a scale per block, and for integers a zero point",
		Params: QuantParams{}, Finite: true,
		Args: []shaders.Arg{
			{Name: "x", Len: elements},
			{Name: "q", Type: shaders.Var, Access: shaders.Out, Len: codes},
			scaleArg("scale", shaders.Out, blocks),
			scaleArg("zero", shaders.Out, zeros),
		},
		Constants: quantizerConstants(),
		Valid: func(c shaders.Call) error {
			if params(c).Block == 0 {
				return errors.New("block of 0: a whole tensor is for extremes and quantize_tensor")
			}
			return params(c).Valid(c.Type)
		},
		Cost:      func(c shaders.Call) shaders.Cost { return shaders.Cost{Ops: 6 * float64(elements(c)), Bytes: bytes(c)} },
		Reference: quantizeReference,
		Tolerance: quantizeTolerance,
		Cases:     quantizeCases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: Types(), Source: shaders.Embedded(files, "quantize.metal"),
		Constants: op.Constants, Launch: launch,
	}
}

func quantizerConstants() []shaders.Constant {
	return []shaders.Constant{HalfScalesConstant(), {Name: Symmetric, Index: 0, Max: 1, About: "zero points are 0"}}
}

func quantizeTolerance(c shaders.Call) shaders.Tolerance {
	return shaders.Tolerance{Rel: quantRel(c), Why: "float rounding of the scale; a code at a tie may fall to either side"}
}

// quantRel returns the quantizers' relative tolerance.
func quantRel(c shaders.Call) float64 {
	const rel = 4e-6
	if p, blocks := c.Params.(QuantParams); blocks && codingOf(c.Type).mean {
		return max(rel, shaders.SumTolerance(int(min(p.Cols, p.Block)), shaders.F32).Rel)
	}
	return rel
}

// keptFours is the number of groups of four elements of a block that a lane keeps, like QUANTIZE_KEPT.
const keptFours = 4

// lanes returns how many lanes of a SIMD group share a block: a power of two, as with QUANTIZE_DOUBLED.
func lanes(block uint32) int {
	n := 1
	for n < 32 && uint64(4*keptFours*n) < uint64(block) {
		n *= 2
	}
	return n
}

func launch(c shaders.Call, l shaders.Limits) shaders.Launch {
	threads := l.Fit(256)
	all := uint64(blocks(c)) * uint64(lanes(params(c).Block))
	return shaders.Launch{Groups: [3]uint32{uint32((all + uint64(threads) - 1) / uint64(threads)), 1, 1}, Threads: [3]uint32{threads, 1, 1}}
}

// quantizeReference computes a scale or zero point from the values, and a code from the scale and zero point that the
// kernel stored, which are themselves compared.
func quantizeReference(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
	if arg == 1 {
		return codeReference(c, args, i)
	}
	s := blockSpan(c, args[0], i)
	if arg == 2 {
		return scaleReference(c, s)
	}
	return zeroReference(c, s)
}

func codeReference(c shaders.Call, args []shaders.View, i int) shaders.Value {
	q, coding := params(c), codingOf(c.Type)
	row, col := i/stride(int(q.Cols), c.Type), i%stride(int(q.Cols), c.Type)
	if col >= int(q.Cols) {
		return shaders.Value{Want: shaders.View{Type: c.Type, Data: []byte{0}}.At(0)} // padding
	}
	b, zero := q.BlockOf(row, col), 0.0
	if coding.zeros {
		zero = args[3].At(b)
	}
	code, apart := coding.code(args[0].At(row*int(q.Cols)+col)/args[2].At(b)+zero, zero)
	return shaders.Value{Want: code, Scale: apart / quantRel(c)}
}

// blockSpan returns the values from which the scale and zero point of block b are computed.
func blockSpan(c shaders.Call, x shaders.View, b int) span {
	q := params(c)
	r0, r1, c0, c1 := q.span(b)
	s := span{lo: math.Inf(1), hi: math.Inf(-1)}
	for r := r0; r < r1; r++ {
		lo, hi, sum := bounds(x, r*int(q.Cols)+c0, r*int(q.Cols)+c1)
		s = span{min(s.lo, lo), max(s.hi, hi), s.mean + sum/float64((r1-r0)*(c1-c0))}
	}
	return s
}

// bounds returns the minimum and maximum of elements from…to−1 of a view of F32 without NaN, ±∞ if there are none, and the sum of
// their magnitudes. At would take twice as long, which matters if a whole tensor is one block.
func bounds(v shaders.View, from, to int) (least, greatest, sum float64) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for data := v.Data[4*from : 4*to]; len(data) >= 4; data = data[4:] {
		x := math.Float32frombits(binary.NativeEndian.Uint32(data))
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		sum += math.Abs(float64(x))
	}
	return float64(lo), float64(hi), sum
}

func quantizeCases() []shaders.Case {
	var cases []shaders.Case
	for _, c := range dequantizeCases() {
		if q := c.Params.(QuantParams); q.Block > 0 && len(c.Constants) == 0 {
			cases = append(cases, c, shaders.Case{Params: q, Constants: shaders.Constants{Symmetric: 1}})
		}
	}
	return append(cases, halfCases(1e20, QuantParams{7, 129, 32}, QuantParams{9, 255, 256}, QuantParams{37, 128, 64})...)
}

// halfCases are cases with f16 scales: usual ones, below the smallest normal value of f16, below all of its values and beyond the
// largest.
func halfCases[P any](largest float64, params ...P) []shaders.Case {
	var cases []shaders.Case
	for i, magnitude := range []float64{1, 1e-3, 1e-6, largest} {
		p := params[i%len(params)]
		cases = append(cases, InHalf(shaders.Case{Params: p, Magnitude: magnitude},
			shaders.Case{Params: p, Magnitude: magnitude, Constants: shaders.Constants{Symmetric: 1}})...)
	}
	return cases
}
