// Package quant owns number formats of weight matrices: what they cost, how much they lose, a reference quantizer, a
// seeded weight generator and a reader of .safetensors files. It imports nothing of Assay.
package quant

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is how one weight is stored.
type Kind uint8

// Kinds of formats, widest first.
const (
	F32 Kind = iota
	F16
	Int8
	Int4
)

// String is the kind's usual short name.
func (k Kind) String() string { return [...]string{"f32", "f16", "int8", "int4"}[k] }

// Bits is the size of one stored weight without its share of scales.
func (k Kind) Bits() int { return [...]int{32, 16, 8, 4}[k] }

// Quantized reports whether the kind stores codes with scales.
func (k Kind) Quantized() bool { return k == Int8 || k == Int4 }

// Codes is the range of codes of a quantized kind.
func (k Kind) Codes() (lo, hi int) {
	half := 1 << (k.Bits() - 1)
	return -half, half - 1
}

// Limits of Format.Block.
const (
	MinBlock = 32
	MaxBlock = 256
)

// Format is how a [rows, cols] weight matrix is stored.
type Format struct {
	Kind Kind
	// Block is how many neighbors of a row share one scale and zero point: 32, 64, 128 or 256. 0 is one for the whole
	// tensor, and the only value for kinds that are not quantized.
	Block int
}

// Formats lists f32, f16, and int8 and int4 per tensor and per block of lo, 2·lo, … hi.
func Formats(lo, hi int) []Format {
	all := []Format{{Kind: F32}, {Kind: F16}}
	for _, k := range []Kind{Int8, Int4} {
		all = append(all, Format{Kind: k})
		for b := hi; b >= lo && b > 0; b /= 2 {
			all = append(all, Format{k, b})
		}
	}
	return all
}

// CheckBlock refuses a block that is none of 32, 64, 128 and 256.
func CheckBlock(block int) error {
	if block < MinBlock || block > MaxBlock || block&(block-1) != 0 {
		return fmt.Errorf("block of %d, want a power of two from %d to %d", block, MinBlock, MaxBlock)
	}
	return nil
}

// String is the format's name: "f32", "int8 tensor", "int4 block 64".
func (f Format) String() string {
	switch {
	case !f.Kind.Quantized():
		return f.Kind.String()
	case f.Block == 0:
		return f.Kind.String() + " tensor"
	}
	return fmt.Sprintf("%v block %d", f.Kind, f.Block)
}

// ParseFormat reads a name as String writes it.
func ParseFormat(s string) (Format, error) {
	words := strings.Fields(s)
	if len(words) > 0 {
		for k := F32; k <= Int4; k++ {
			if k.String() == words[0] {
				f, err := parseBlock(k, words[1:])
				if err != nil {
					return Format{}, fmt.Errorf("format %q: %w", s, err)
				}
				return f, nil
			}
		}
	}
	return Format{}, fmt.Errorf("format %q, want f32, f16, or int8 or int4 followed by \"tensor\" or \"block N\"", s)
}

func parseBlock(k Kind, words []string) (Format, error) {
	f := Format{Kind: k}
	switch {
	case !k.Quantized() && len(words) == 0:
		return f, nil
	case k.Quantized() && len(words) == 1 && words[0] == "tensor":
		return f, nil
	case k.Quantized() && len(words) == 2 && words[0] == "block":
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return f, fmt.Errorf("block of %q, want a whole number", words[1])
		}
		f.Block = n
		return f, CheckBlock(n)
	case k.Quantized():
		return f, fmt.Errorf("want %v tensor or %v block N", k, k)
	}
	return f, fmt.Errorf("%v: want nothing after it", k)
}

// Scales is the number of scales, and of zero points, of a [rows, cols] matrix.
func (f Format) Scales(rows, cols int) int {
	switch {
	case !f.Kind.Quantized():
		return 0
	case f.Block == 0:
		return 1
	}
	return rows * ceil(cols, f.Block)
}

// Shared is how many weights share one scale: a full block, or all; 0 for kinds without scales.
func (f Format) Shared(rows, cols int) int {
	switch {
	case !f.Kind.Quantized():
		return 0
	case f.Block == 0:
		return rows * cols
	}
	return f.Block
}

// Bytes is what a [rows, cols] matrix takes: the weights, where each row of int4 starts in a new byte, and a scale and
// a zero point of 4 B each per block.
func (f Format) Bytes(rows, cols int) int64 {
	row := ceil(cols*f.Kind.Bits(), 8)
	return int64(rows)*int64(row) + 8*int64(f.Scales(rows, cols))
}

// BitsPerWeight is Bytes spread over the weights; 0 for a matrix without any.
func (f Format) BitsPerWeight(rows, cols int) float64 {
	if rows == 0 || cols == 0 {
		return 0
	}
	return 8 * float64(f.Bytes(rows, cols)) / (float64(rows) * float64(cols))
}

func ceil(n, by int) int { return (n + by - 1) / by }
