// Package quant is the family that turns floats into integer codes and back.
package quant

import (
	"embed"
	"fmt"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Symmetric is the constant of the quantizers that fixes the zero point at 0.
const Symmetric = "symmetric"

// QuantParams is the parameter struct of quantize and dequantize: a [Rows, Cols] matrix in blocks of Block neighbors
// of a row, or with Block = 0 in one block.
type QuantParams struct{ Rows, Cols, Block uint32 }

// Family lists the implementations.
func Family() []*shaders.Impl {
	return []*shaders.Impl{quantize(), extremes(), quantizeTensor(), quantizeRows(), dequantize()}
}

// Blocks returns the number of scales (and zero points).
func (q QuantParams) Blocks() int {
	if q.Block == 0 {
		return 1
	}
	return shaders.Product(int(q.Rows), q.perRow())
}

func (q QuantParams) perRow() int { return (int(q.Cols) + int(q.Block) - 1) / int(q.Block) }

// BlockOf returns the index of the block that element (row, col) belongs to.
func (q QuantParams) BlockOf(row, col int) int {
	if q.Block == 0 {
		return 0
	}
	return row*q.perRow() + col/int(q.Block)
}

// span returns the elements of block b: rows [r0, r1), columns [c0, c1).
func (q QuantParams) span(b int) (r0, r1, c0, c1 int) {
	if q.Block == 0 {
		return 0, int(q.Rows), 0, int(q.Cols)
	}
	r, c := b/q.perRow(), b%q.perRow()*int(q.Block)
	return r, r + 1, c, min(c+int(q.Block), int(q.Cols))
}

// Codes returns the number of code elements of t, with the padding that makes each row of int4 begin a byte.
func (q QuantParams) Codes(t shaders.Type) int {
	return shaders.Product(int(q.Rows), stride(int(q.Cols), t))
}

// stride returns the distance of rows of codes, in elements: a whole number of bytes.
func stride(cols int, t shaders.Type) int { return t.Bytes(cols) * 8 / t.Bits() }

// Valid refuses blocks that do not begin a byte.
func (q QuantParams) Valid(t shaders.Type) error {
	if int(q.Block)*t.Bits()%8 != 0 {
		return fmt.Errorf("block of %d: %v blocks hold a multiple of %d elements", q.Block, t, 8/t.Bits())
	}
	return nil
}

func params(c shaders.Call) QuantParams { return c.Params.(QuantParams) }

func elements(c shaders.Call) int {
	q := params(c)
	return shaders.Product(int(q.Rows), int(q.Cols))
}

func blocks(c shaders.Call) int { return params(c).Blocks() }

// zeros returns the number of zero points: types without them have an empty plane.
func zeros(c shaders.Call) int { return Zeros(params(c), c.Type) }

func codes(c shaders.Call) int { return params(c).Codes(c.Type) }

// bytes counts floats, codes, scales and zero points once.
func bytes(c shaders.Call) float64 {
	return float64(4*elements(c) + ScaleType(c.Constants).Bytes(blocks(c)+zeros(c)) + c.Type.Bytes(codes(c)))
}
