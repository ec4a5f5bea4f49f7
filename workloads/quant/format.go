// Package quant owns number formats of weight matrices: their size and errors, a reference quantizer, a seeded weight
// generator and a reader of .safetensors files. It imports nothing from Assay.
package quant

import (
	"fmt"
)

// Kind is the storage format of one weight: an index into the table of kinds.
type Kind uint8

// Kinds of formats, widest first.
const (
	F32 Kind = iota
	F16
	BF16
	Int8
	Int4
)

// kinds is the table of kinds. It is read-only. The names are those of shaders.Type, the types of kernels.
var kinds = [...]struct {
	name  string
	bits  int
	codes bool // with scales
}{
	F32:  {"f32", 32, false},
	F16:  {"f16", 16, false},
	BF16: {"bf16", 16, false},
	Int8: {"int8", 8, true},
	Int4: {"int4", 4, true},
}

// Kinds lists all kinds, widest first.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// ParseKind is the kind of that name, and whether there is one.
func ParseKind(name string) (Kind, bool) {
	for i := range kinds {
		if kinds[i].name == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// String is the kind's usual short name.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kinds[k].name
}

// Bits is the size of one stored weight without its share of scales.
func (k Kind) Bits() int { return kinds[k].bits }

// Quantized reports whether the kind stores codes with scales.
func (k Kind) Quantized() bool { return kinds[k].codes }

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

// Formats lists every kind, the quantized ones per tensor and per block of lo, 2·lo, … hi.
func Formats(lo, hi int) []Format {
	var all []Format
	for _, k := range Kinds() {
		all = append(all, Format{Kind: k})
		for b := hi; k.Quantized() && b >= lo && b > 0; b /= 2 {
			all = append(all, Format{k, b})
		}
	}
	return all
}

// CheckBlock rejects a block size other than 32, 64, 128 and 256.
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

// Bytes is the size of a [rows, cols] matrix: the weights, with each row of int4 starting at a new byte, and a scale
// and a zero point of 4 B each per block.
func (f Format) Bytes(rows, cols int) int64 {
	row := ceil(cols*f.Kind.Bits(), 8)
	return int64(rows)*int64(row) + 8*int64(f.Scales(rows, cols))
}

// BitsPerWeight is Bytes per weight, in bits; 0 for an empty matrix.
func (f Format) BitsPerWeight(rows, cols int) float64 {
	if rows == 0 || cols == 0 {
		return 0
	}
	return 8 * float64(f.Bytes(rows, cols)) / (float64(rows) * float64(cols))
}

func ceil(n, by int) int { return (n + by - 1) / by }
