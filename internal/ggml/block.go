// Package ggml has ggml's block formats, which .gguf files store. Each block of weights becomes exactly the bytes that ggml's
// reference quantizers write, bit for bit, as ggml computes them without contracting multiplications and additions.
//
// Every product that is added to something is first converted to float32: otherwise a compiler may fuse the two on some
// processors, even across statements and calls, which rounds once instead of twice and changes codes.
package ggml

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"assay/internal/half"
)

// Block describes a format: how many weights share a block, its size, and how to write and read one.
type Block struct {
	Name    string // as ggml calls it: "q4_K"
	Weights int    // in a block
	Bytes   int    // of a block
	Group   int    // how many weights share a scale
	Bits    int    // of a code
	Lo, Hi  int    // range of codes
	// Encode writes one block of finite weights, and counts those whose code had to be clamped.
	Encode func(dst []byte, x []float32) (clamped int)
	// Decode reads the weights of one block.
	Decode func(dst []float32, src []byte)
	// Codes reads the code of each weight of a block.
	Codes func(dst []int16, src []byte)
	// Terms decomposes weight i of a block: it equals code · scale + offset, exactly.
	Terms func(src []byte, i int) (code, scale, offset float64)
	// Halves are the scales stored in f16.
	Halves []Half
}

// Half is a scale in f16: its position in the block, and the maximum of its factor.
type Half struct {
	At  int
	Top float64
}

// At returns weight i of a block, exactly.
func (b *Block) At(src []byte, i int) float64 {
	code, scale, offset := b.Terms(src, i)
	return code*scale + offset
}

// Fill fills a block with random codes, whose weights lie within about ± magnitude.
func (b *Block) Fill(dst []byte, r *rand.Rand, magnitude float64) {
	for i := range dst {
		dst[i] = byte(r.Uint32())
	}
	for _, h := range b.Halves {
		f := magnitude / h.Top * (0.5 + 0.5*r.Float64())
		putHalf(dst[h.At:], float32(math.Copysign(f, r.Float64()-0.5)))
	}
}

// Blocks lists the formats, largest first.
func Blocks() []Block { return []Block{q8_0(), q6_K(), q4_1(), q4_K(), q4_0()} }

func putHalf(dst []byte, f float32) { binary.LittleEndian.PutUint16(dst, half.From(f)) }

// scaled is a code with a scale in f16 and no offset.
func scaled(code int, scale []byte) (c, s, offset float64) {
	return float64(code), float64(getHalf(scale)), 0
}

// nibble returns the nibble of weight i in a block of 32 whose bytes begin at src.
func nibble(src []byte, i int) int { return int(src[i%16]>>(i/16*4)) & 15 }

func getHalf(src []byte) float32 { return half.To(binary.LittleEndian.Uint16(src)) }

// nearest rounds to an integer, ties to even, by adding a number whose last bit is 1. Beyond ±2²² the result is whatever the bits are,
// as in ggml.
func nearest(f float32) int {
	return int(math.Float32bits(float32(f)+magic)&0x7fffff) - 0x400000
}

// whole truncates. Values outside int32 become 0, the low byte of what x86 converts them to.
func whole[F float32 | float64](f F) int {
	if f >= -1<<31 && f < 1<<31 {
		return int(f)
	}
	return 0
}

// clamp limits a code, and counts it in n if that changed it.
func clamp(code, lo, hi int, n *int) int {
	if code < lo || code > hi {
		*n++
	}
	return min(max(code, lo), hi)
}

func abs(f float32) float32 { return math.Float32frombits(math.Float32bits(f) &^ (1 << 31)) }

// invert returns 1/d, or 0 for 0.
func invert(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

// extreme returns the weight with the largest magnitude, the first of equal ones.
func extreme(x []float32) (at, magnitude float32) {
	for _, v := range x {
		if a := abs(v); a > magnitude {
			at, magnitude = v, a
		}
	}
	return at, magnitude
}

// limits returns the smallest and the largest weight.
func limits(x []float32) (lo, hi float32) {
	lo, hi = x[0], x[0]
	for _, v := range x[1:] {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return lo, hi
}
