package quant

import (
	"fmt"
	"math"
)

// Scheme is how codes map to a block's values.
type Scheme uint8

// Schemes: affine spreads the codes from the minimum to the maximum, symmetric keeps the zero point at 0.
const (
	Affine Scheme = iota
	Symmetric
)

// String is the scheme's name.
func (s Scheme) String() string { return [...]string{"affine", "symmetric"}[s] }

// Quantized is a matrix as codes: weight (r, c) is (code − zero)·scale of its block. Codes has one entry per weight,
// row by row without padding; Scale and Zero one per block, the blocks of a row one after another.
type Quantized struct {
	Rows, Cols  int
	Format      Format
	Codes       []int8
	Scale, Zero []float64
}

// Reference quantizes the finite [rows, cols] matrix w in float64: the reference for quantizers on a device.
func Reference(w []float32, rows, cols int, f Format, s Scheme) (*Quantized, error) {
	if !f.Kind.Quantized() {
		return nil, fmt.Errorf("quantize to %v: it has no codes", f)
	}
	if rows < 0 || cols < 0 || len(w) != rows*cols {
		return nil, fmt.Errorf("quantize to %v: %d weights for a [%d, %d] matrix", f, len(w), rows, cols)
	}
	q := &Quantized{Rows: rows, Cols: cols, Format: f, Codes: make([]int8, len(w))}
	if f.Block == 0 {
		q.encode(w, 0, s)
		return q, nil
	}
	for r := range rows {
		for c := 0; c < cols; c += f.Block {
			first := r * cols
			q.encode(w[first+c:first+min(c+f.Block, cols)], first+c, s)
		}
	}
	return q, nil
}

// encode adds one block, whose first code is at index at.
func (q *Quantized) encode(block []float32, at int, s Scheme) {
	scale, zero := blockScale(block, q.Format.Kind, s)
	lo, hi := q.Format.Kind.Codes()
	for i, v := range block {
		code := math.RoundToEven(float64(v)/scale + zero)
		q.Codes[at+i] = int8(min(max(code, float64(lo)), float64(hi)))
	}
	q.Scale, q.Zero = append(q.Scale, scale), append(q.Zero, zero)
}

// blockScale is the scale and zero point of a block. A constant block is exact: its scale is its value. If the scale
// would not be a normal float32 it is 1, and the block becomes zeros.
func blockScale(block []float32, k Kind, s Scheme) (scale, zero float64) {
	const minNormal = 0x1p-126
	if len(block) == 0 {
		return 1, 0
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range block {
		lo, hi = min(lo, float64(v)), max(hi, float64(v))
	}
	first, last := k.Codes()
	switch {
	case lo == hi && math.Abs(lo) >= minNormal:
		return lo, 0
	case s == Symmetric:
		scale = max(-lo, hi) / float64(last)
	default:
		scale = (hi - lo) / float64(last-first)
		zero = float64(first) - lo/scale
	}
	if scale < minNormal {
		return 1, 0
	}
	return scale, zero
}

// Dequantize returns the matrix of the codes' values, row by row.
func (q *Quantized) Dequantize() []float32 {
	out := make([]float32, len(q.Codes))
	for i, code := range q.Codes {
		b := q.block(i)
		out[i] = float32((float64(code) - q.Zero[b]) * q.Scale[b])
	}
	return out
}

// block is the index of the block that weight i belongs to.
func (q *Quantized) block(i int) int {
	if q.Format.Block == 0 {
		return 0
	}
	return i/q.Cols*ceil(q.Cols, q.Format.Block) + i%q.Cols/q.Format.Block
}
