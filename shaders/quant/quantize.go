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
		Name: "quantize", About: "x[rows,cols] to integer codes with a scale and zero point per block",
		Params: QuantParams{}, Finite: true,
		Args: []shaders.Arg{
			{Name: "x", Len: elements},
			{Name: "q", Type: shaders.Var, Access: shaders.Out, Len: codes},
			{Name: "scale", Access: shaders.Out, Len: blocks},
			{Name: "zero", Access: shaders.Out, Len: blocks},
		},
		Constants: symmetric(),
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
		Op: op, Name: shaders.Plain, Types: codeTypes(), Source: shaders.Embedded(files, "quantize.metal"),
		Constants: op.Constants, Launch: launch,
	}
}

func symmetric() []shaders.Constant {
	return []shaders.Constant{{Name: Symmetric, Index: 0, Max: 1, About: "the zero point is 0"}}
}

func quantizeTolerance(shaders.Call) shaders.Tolerance {
	return shaders.Tolerance{Rel: quantRel, Why: "float rounding of the scale; a code at a tie may fall to either side"}
}

// keptFours is how many times four elements of a block a lane keeps, as QUANTIZE_KEPT.
const keptFours = 4

// lanes is how many lanes of a SIMD group share a block: a power of two, as QUANTIZE_DOUBLED says.
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
	scale, zero := blockScale(c, args[0], i)
	if arg == 2 {
		return shaders.Value{Want: scale, Scale: math.Abs(scale)}
	}
	return shaders.Value{Want: zero, Scale: math.Abs(zero) + 255}
}

func codeReference(c shaders.Call, args []shaders.View, i int) shaders.Value {
	q := params(c)
	row, col := i/stride(int(q.Cols), c.Type), i%stride(int(q.Cols), c.Type)
	if col >= int(q.Cols) {
		return shaders.Value{} // padding
	}
	b := q.BlockOf(row, col)
	zero := args[3].At(b)
	exact := args[0].At(row*int(q.Cols)+col)/args[2].At(b) + zero
	lo, hi := c.Type.Range()
	v := shaders.Value{Want: min(max(math.RoundToEven(exact), lo), hi)}
	if tie := exact - math.Floor(exact); math.Abs(tie-0.5) < 1e-3+4e-7*math.Abs(zero) {
		v.Scale = 1 / quantRel // either neighbor is right
	}
	return v
}

// quantRel is the quantizers' relative tolerance.
const quantRel = 4e-6

// blockScale is the scale and zero point of block b as quantize.metal defines them.
func blockScale(c shaders.Call, x shaders.View, b int) (scale, zero float64) {
	q := params(c)
	r0, r1, c0, c1 := q.span(b)
	lo, hi := math.Inf(1), math.Inf(-1)
	for r := r0; r < r1; r++ {
		least, greatest := bounds(x, r*int(q.Cols)+c0, r*int(q.Cols)+c1)
		lo, hi = min(lo, least), max(hi, greatest)
	}
	return scaleOf(c, lo, hi)
}

// scaleOf is the scale and zero point of a block whose values lie in [lo, hi].
func scaleOf(c shaders.Call, lo, hi float64) (scale, zero float64) {
	qmin, qmax := c.Type.Range()
	switch {
	case lo == hi && math.Abs(lo) < smallestNormal:
		return 1, 0
	case lo == hi:
		return lo, 0
	case c.Constants[Symmetric] != 0:
		scale = max(math.Abs(lo), math.Abs(hi)) / qmax
	default:
		scale = (hi - lo) / (qmax - qmin)
		zero = qmin - lo/scale
	}
	if scale < smallestNormal {
		return 1, 0
	}
	return scale, zero
}

// bounds are the minimum and the maximum of elements from…to−1 of a view of F32 without NaN; ±∞ if there are none. At
// would take twice as long, which counts where a whole tensor is one block.
func bounds(v shaders.View, from, to int) (least, greatest float64) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for data := v.Data[4*from : 4*to]; len(data) >= 4; data = data[4:] {
		x := math.Float32frombits(binary.NativeEndian.Uint32(data))
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
	}
	return float64(lo), float64(hi)
}

func quantizeCases() []shaders.Case {
	var cases []shaders.Case
	for _, c := range dequantizeCases() {
		if q := c.Params.(QuantParams); q.Block > 0 {
			cases = append(cases, c, shaders.Case{Params: q, Constants: shaders.Constants{Symmetric: 1}})
		}
	}
	return cases
}
