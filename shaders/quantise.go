package shaders

import (
	"fmt"
	"math"
)

// Symmetric is the function constant of the quantisers that fixes the zero point at 0.
const Symmetric = "symmetric"

const smallestNormal = 1.17549435e-38

// QuantParams is the parameter struct of quantise and dequantise: a [Rows, Cols] matrix in blocks of Block neighbours
// of a row, or with Block = 0 in one block.
type QuantParams struct{ Rows, Cols, Block uint32 }

// Blocks is the number of scales (and zero points).
func (q QuantParams) Blocks() int {
	if q.Block == 0 {
		return 1
	}
	return product(int(q.Rows), q.perRow())
}

func (q QuantParams) perRow() int { return (int(q.Cols) + int(q.Block) - 1) / int(q.Block) }

// BlockOf is the index of the block that element (row, col) belongs to.
func (q QuantParams) BlockOf(row, col int) int {
	if q.Block == 0 {
		return 0
	}
	return row*q.perRow() + col/int(q.Block)
}

// span is the elements of block b: rows [r0, r1), columns [c0, c1).
func (q QuantParams) span(b int) (r0, r1, c0, c1 int) {
	if q.Block == 0 {
		return 0, int(q.Rows), 0, int(q.Cols)
	}
	r, c := b/q.perRow(), b%q.perRow()*int(q.Block)
	return r, r + 1, c, min(c+int(q.Block), int(q.Cols))
}

// Codes is the number of code elements of t, with the padding that starts each row of int4 in a new byte.
func (q QuantParams) Codes(t Type) int { return product(int(q.Rows), codeStride(int(q.Cols), t)) }

func codeStride(cols int, t Type) int {
	if t == I4 {
		return (cols + 1) / 2 * 2
	}
	return cols
}

func (q QuantParams) valid(t Type) error {
	if t == I4 && q.Block%2 != 0 {
		return fmt.Errorf("block of %d: int4 blocks hold an even number of elements", q.Block)
	}
	return nil
}

func codeRange(t Type) (qmin, qmax float64) {
	if t == I4 {
		return -8, 7
	}
	return -128, 127
}

// Quantise lists the quantisers and dequantisers of int8 and int4.
func Quantise() []Kernel {
	return []Kernel{quantiseKernel(I8), quantiseKernel(I4), dequantiseKernel(I8), dequantiseKernel(I4)}
}

func suffix(t Type) string { return map[Type]string{I8: "_i8", I4: "_i4"}[t] }

func elements(p any) int {
	q := p.(QuantParams)
	return product(int(q.Rows), int(q.Cols))
}

func blocks(p any) int { return p.(QuantParams).Blocks() }

func quantiseKernel(t Type) Kernel {
	return Kernel{
		Name: "quantise" + suffix(t), File: "quantise.metal",
		About:  "x[rows,cols] to " + t.String() + " codes with a scale and zero point per block",
		Params: QuantParams{}, Finite: true,
		Args: []Arg{
			{Name: "x", Len: elements},
			{Name: "q", Type: t, Access: Out, Len: func(p any) int { return p.(QuantParams).Codes(t) }},
			{Name: "scale", Access: Out, Len: blocks},
			{Name: "zero", Access: Out, Len: blocks},
		},
		Constants: []Constant{{Symmetric, 0, 1, "the zero point is 0"}},
		Valid:     func(p any) error { return p.(QuantParams).valid(t) },
		Launch: func(p any) Launch {
			threads := uint32(32)
			if p.(QuantParams).Block == 0 {
				threads = 1024
			}
			return Launch{Groups: [3]uint32{uint32(blocks(p)), 1, 1}, Threads: [3]uint32{threads, 1, 1}, Fewer: true}
		},
		Cost: func(p any, _ Constants) Cost {
			return Cost{6 * float64(elements(p)), quantBytes(p, t)}
		},
		Reference: func(p any, c Constants, args []View, arg, i int) Value {
			return quantiseReference(p.(QuantParams), c, args, arg, i, t)
		},
		Tolerance: func(any, Constants) Tolerance {
			return Tolerance{quantRel, 0, 0, "float rounding of the scale; a code at a tie may fall to either side"}
		},
		Cases: quantCases(),
	}
}

// quantBytes counts floats, codes, scales and zero points once.
func quantBytes(p any, t Type) float64 {
	return float64(4*elements(p) + t.Bytes(p.(QuantParams).Codes(t)) + 8*blocks(p))
}

// quantiseReference computes a scale or zero point from the values, and a code from the scale and zero point that the
// kernel stored, which are themselves compared.
func quantiseReference(q QuantParams, c Constants, args []View, arg, i int, t Type) Value {
	if arg == 1 {
		return codeReference(q, args, i, t)
	}
	scale, zero := blockScale(q, c, args[0], i, t)
	if arg == 2 {
		return Value{scale, math.Abs(scale)}
	}
	return Value{zero, math.Abs(zero) + 255}
}

func codeReference(q QuantParams, args []View, i int, t Type) Value {
	stride := codeStride(int(q.Cols), t)
	row, col := i/stride, i%stride
	if col >= int(q.Cols) {
		return Value{} // padding
	}
	b := q.BlockOf(row, col)
	zero := args[3].At(b)
	exact := args[0].At(row*int(q.Cols)+col)/args[2].At(b) + zero
	lo, hi := codeRange(t)
	v := Value{Want: min(max(math.RoundToEven(exact), lo), hi)}
	if tie := exact - math.Floor(exact); math.Abs(tie-0.5) < 1e-3+4e-7*math.Abs(zero) {
		v.Scale = 1 / quantRel // either neighbour is right
	}
	return v
}

// quantRel is the quantisers' relative tolerance.
const quantRel = 4e-6

// blockScale is the scale and zero point of block b as quantise.metal defines them.
func blockScale(q QuantParams, c Constants, x View, b int, t Type) (scale, zero float64) {
	r0, r1, c0, c1 := q.span(b)
	lo, hi := math.Inf(1), math.Inf(-1)
	for r := r0; r < r1; r++ {
		least, greatest := x.bounds(r*int(q.Cols)+c0, r*int(q.Cols)+c1)
		lo, hi = min(lo, least), max(hi, greatest)
	}
	qmin, qmax := codeRange(t)
	switch {
	case lo == hi && math.Abs(lo) < smallestNormal:
		return 1, 0
	case lo == hi:
		return lo, 0
	case c[Symmetric] != 0:
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

func dequantiseKernel(t Type) Kernel {
	return Kernel{
		Name: "dequantise" + suffix(t), File: "quantise.metal",
		About:  t.String() + " codes back to floats: (q − zero) · scale",
		Params: QuantParams{},
		Args: []Arg{
			{Name: "q", Type: t, Len: func(p any) int { return p.(QuantParams).Codes(t) }},
			{Name: "scale", Len: blocks},
			{Name: "zero", Len: blocks},
			{Name: "out", Access: Out, Len: elements},
		},
		Valid: func(p any) error { return p.(QuantParams).valid(t) },
		Launch: func(p any) Launch {
			q := p.(QuantParams)
			return Launch{Groups: [3]uint32{(q.Cols + 31) / 32, (q.Rows + 7) / 8, 1}, Threads: [3]uint32{32, 8, 1}}
		},
		Cost: func(p any, _ Constants) Cost { return Cost{2 * float64(elements(p)), quantBytes(p, t)} },
		Reference: func(p any, _ Constants, args []View, _, i int) Value {
			q := p.(QuantParams)
			return dequantised(q, args[0], args[1], args[2], i/int(q.Cols), i%int(q.Cols))
		},
		Tolerance: func(any, Constants) Tolerance { return rounding(F32) },
		Cases:     dequantCases(),
	}
}

// dequantised is element (row, col) of a quantised matrix.
func dequantised(q QuantParams, codes, scale, zero View, row, col int) Value {
	b := q.BlockOf(row, col)
	s, z := scale.At(b), zero.At(b)
	code := codes.At(row*codeStride(int(q.Cols), codes.Type) + col)
	return Value{(code - z) * s, (math.Abs(code) + math.Abs(z)) * math.Abs(s)}
}

func dequantCases() []Case {
	var cases []Case
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
		cases = append(cases, Case{Params: q})
	}
	return cases
}

func quantCases() []Case {
	cases := dequantCases()
	for _, c := range dequantCases() {
		cases = append(cases, Case{Params: c.Params, Constants: Constants{Symmetric: 1}})
	}
	return cases
}
