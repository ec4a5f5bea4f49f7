// Package quant owns the number formats of weight matrices: their sizes, how matrices are encoded in them and decoded, and
// the errors that result; and a seeded generator of weights.
//
// A format is a Kind plus the group of weights that shares a scale. Everything about a kind follows from its description, so no code
// outside the description refers to a kind by name. quant/weightfile reads weight files; internal/ggml describes ggml's block
// formats.
package quant

import (
	"fmt"
	"strings"
)

// Limits of Format.Block.
const (
	MinBlock = 32
	MaxBlock = 1024
)

// PerRow is the Block of formats with one scale per row, that is, per output channel.
const PerRow = -1

// Format is how a [rows, cols] weight matrix is stored.
type Format struct {
	Kind Kind
	// Block is how many neighbors in a row share one scale and zero point: a power of two from MinBlock to MaxBlock, or PerRow. 0
	// means one for the whole tensor; it is the only value for kinds without scales stored beside their codes.
	Block int
	// Scheme is how scales are derived from the weights.
	Scheme Scheme
	// Half stores scales and zero points in f16 instead of f32.
	Half bool
}

// Grouped lists the kinds; those with scales per tensor and per block of hi, hi/2, … lo.
func Grouped(kinds []Kind, lo, hi int) []Format {
	var all []Format
	for _, k := range kinds {
		all = append(all, Format{Kind: k})
		for b := hi; k.Scaled() && b >= lo && b > 0; b /= 2 {
			all = append(all, Format{Kind: k, Block: b})
		}
	}
	return all
}

// CheckBlock rejects a block size other than a power of two from 32 to 1024.
func CheckBlock(block int) error {
	if block < MinBlock || block > MaxBlock || block&(block-1) != 0 {
		return fmt.Errorf("block of %d, want a power of two from %d to %d", block, MinBlock, MaxBlock)
	}
	return nil
}

// scheme returns the scheme, or the kind's default.
func (f Format) scheme(k *kind) Scheme {
	if f.Scheme == Usual && len(k.scheme) > 0 {
		return k.scheme[0]
	}
	return f.Scheme
}

// String is the format's name: "f32", "int8 tensor", "int4 block 64", "int4 row symmetric, f16 scales". ParseFormat
// reads it.
func (f Format) String() string {
	k := f.Kind.describe()
	if len(k.scheme) == 0 {
		return string(f.Kind)
	}
	name := fmt.Sprintf("%s block %d", f.Kind, f.Block)
	switch f.Block {
	case 0:
		name = string(f.Kind) + " tensor"
	case PerRow:
		name = string(f.Kind) + " row"
	}
	if s := f.scheme(k); s != k.scheme[0] {
		name += " " + s.String()
	}
	if f.Half {
		name += HalfScales
	}
	return name
}

// HalfScales is the suffix of the name of a format whose scales are in f16.
const HalfScales = ", f16 scales"

// Scales returns the number of scales stored beside the codes of a [rows, cols] matrix.
func (f Format) Scales(rows, cols int) int {
	switch {
	case !f.Kind.Scaled():
		return 0
	case f.Block == 0:
		return 1
	case f.Block == PerRow:
		return rows
	}
	return rows * ceil(cols, f.Block)
}

// Shared is how many weights share one scale: a full block, a row, or all; 0 for kinds that are not quantized.
func (f Format) Shared(rows, cols int) int {
	k := f.Kind.describe()
	switch b, within := k.layout.(blocks); {
	case within:
		return b.Group
	case len(k.scheme) == 0:
		return 0
	case f.Block == 0:
		return rows * cols
	case f.Block == PerRow:
		return cols
	}
	return f.Block
}

// Bytes returns the size of a [rows, cols] matrix: the weights, with each row starting at a new byte, plus scales and zero points. A
// row that ends within a block of ggml takes the whole block.
func (f Format) Bytes(rows, cols int) int64 {
	var sum int64
	for _, p := range f.Planes(rows, cols) {
		sum += p.Bytes
	}
	return sum
}

// BitsPerWeight is Bytes per weight, in bits; 0 for an empty matrix.
func (f Format) BitsPerWeight(rows, cols int) float64 {
	if rows == 0 || cols == 0 {
		return 0
	}
	return 8 * float64(f.Bytes(rows, cols)) / (float64(rows) * float64(cols))
}

// Plane is one of the buffers that a matrix is stored in.
type Plane struct {
	Name  string // "codes", "scales", "zero points"; "weights", "blocks"
	Bytes int64
}

// Planes lists the buffers of a [rows, cols] matrix.
func (f Format) Planes(rows, cols int) []Plane { return f.Kind.describe().layout.planes(f, rows, cols) }

// Check rejects a format that does not exist, or that cannot store rows of cols weights.
func (f Format) Check(cols int) error {
	k := f.Kind.describe()
	if err := k.layout.check(cols); err != nil {
		return err
	}
	scaled := len(k.scheme) > 0
	switch {
	case !scaled && (f.Block != 0 || f.Scheme != Usual || f.Half):
		return fmt.Errorf("%s has no scales beside its weights: want no block, scheme or type of scales", f.Kind)
	case f.Scheme != Usual && !k.allows(f.Scheme):
		return fmt.Errorf("%s has no scheme %v, want %s", f.Kind, f.Scheme, k.schemeNames())
	case f.Block != 0 && f.Block != PerRow:
		return CheckBlock(f.Block)
	}
	return nil
}

func (k *kind) allows(s Scheme) bool {
	for _, a := range k.scheme {
		if a == s {
			return true
		}
	}
	return false
}

func (k *kind) schemeNames() string {
	var names []string
	for _, s := range k.scheme {
		names = append(names, s.String())
	}
	return strings.Join(names, " or ")
}

func ceil(n, by int) int { return (n + by - 1) / by }
