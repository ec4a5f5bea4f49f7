package blocks

import (
	"math"

	"assay/internal/ggml"
	"assay/shaders"
)

// quantize is for formats whose scales follow from the extremes of a block; those of others are searched for on the host.
func quantize() *shaders.Impl {
	op := &shaders.Op{
		Name: "quantize_blocks", About: "x[rows,cols] to blocks of weights, as ggml writes them", Params: BlockParams{}, Finite: true,
		Args: []shaders.Arg{
			{Name: "x", Len: elements},
			{Name: "blocks", Type: shaders.I8, Access: shaders.Out, Len: func(c shaders.Call) int { return c.Type.Bytes(elements(c)) }},
		},
		Valid:     valid,
		Cost:      func(c shaders.Call) shaders.Cost { return shaders.Cost{Ops: 4 * float64(elements(c)), Bytes: bytes(c)} },
		Reference: quantizeReference,
		Tolerance: func(shaders.Call) shaders.Tolerance {
			return shaders.Tolerance{Rel: 1, Why: "the bytes that ggml writes, but for a code at a tie, which a fused multiply-add may move"}
		},
		Cases: cases(),
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.Q8_0, shaders.Q4_1, shaders.Q4_0},
		Source: shaders.Embedded(files, "quantize_blocks.metal"), Launch: fours,
	}
}

// quantizeReference is byte i of the blocks, as a signed number. It must match, unless one of its codes is at a tie.
func quantizeReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	b := c.Type.Block()
	at := i / b.Bytes
	both := c.PerRow(at, func() []float64 { return written(b, args[0], at*b.Weights) })
	return shaders.Value{Want: both[i%b.Bytes], Scale: both[b.Bytes+i%b.Bytes]}
}

// written returns the bytes of the block of weights from `first` on, then for each the maximum error: 0, or that of any byte.
func written(b *ggml.Block, x shaders.View, first int) []float64 {
	w, exact := make([]float32, b.Weights), make([]byte, b.Bytes)
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for i := range w {
		w[i] = float32(x.At(first + i))
		lo, hi = min(lo, w[i]), max(hi, w[i])
	}
	b.Encode(exact, w)
	both := make([]float64, 2*b.Bytes)
	for i, v := range exact {
		both[i] = float64(int8(v))
	}
	for _, off := range []float32{-1e-6, 1e-6} { // the extremes stay unchanged
		nudged, moved := make([]byte, b.Bytes), make([]float32, b.Weights)
		for i, v := range w {
			moved[i] = v
			if v != lo && v != hi {
				moved[i] = min(max(v+off*max(-lo, hi), lo), hi)
			}
		}
		b.Encode(nudged, moved)
		for i := range exact {
			if nudged[i] != exact[i] {
				both[b.Bytes+i] = 256
			}
		}
	}
	return both
}
