package shaders

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// View reads and writes the elements of a byte slice as float64, in the machine's byte order. Integer elements are
// exact.
type View struct {
	Type Type
	Data []byte
	// Before is what the buffer held before the kernel ran, if that must be known: for in-out arguments.
	Before []byte
}

// Len returns the number of whole elements.
func (v View) Len() int {
	if b := types[v.Type].block; b != nil {
		return len(v.Data) / b.Bytes * b.Weights
	}
	return 8 * len(v.Data) / types[v.Type].bits
}

// At returns element i.
func (v View) At(i int) float64 { return types[v.Type].load(v.Data, i) }

// Floats reads the elements starting at `first` into dst.
func (v View) Floats(dst []float64, first int) {
	load := types[v.Type].load
	for i := range dst {
		dst[i] = load(v.Data, first+i)
	}
}

// Set stores x in element i, rounded as Type.Round does. Elements in blocks cannot be stored individually.
func (v View) Set(i int, x float64) {
	t := &types[v.Type]
	if !t.float {
		x = t.round(x)
	}
	t.store(v.Data, i, x)
}

// FillUniform sets every element from r: floats uniform in [−1, 1), integers uniform over their range.
func (v View) FillUniform(r *rand.Rand) { v.FillWithin(r, 1) }

// FillWithin is like FillUniform, with floats uniform in [−magnitude, magnitude). Blocks get random codes, and scales that leave weights in
// about that range.
func (v View) FillWithin(r *rand.Rand, magnitude float64) {
	t := &types[v.Type]
	if b := t.block; b != nil {
		for block := range slices.Chunk(v.Data, b.Bytes) {
			b.Fill(block, r, magnitude)
		}
		return
	}
	for i := range v.Len() {
		if t.float {
			t.store(v.Data, i, magnitude*(2*r.Float64()-1))
		} else {
			t.store(v.Data, i, t.lo+float64(r.Int64N(int64(t.hi-t.lo)+1)))
		}
	}
}

// EncodeParams lays out a parameter struct as the kernel reads it: its 4-byte fields one after another.
func EncodeParams(p any) []byte {
	b, err := binary.Append(nil, binary.NativeEndian, p)
	if err != nil { // only a struct with other than fixed-size fields, which a test of the catalog rules out
		panic(err)
	}
	return b
}
