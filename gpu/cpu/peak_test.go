package cpu_test

import (
	"testing"

	"assay/shaders/peak"
)

// Each instruction set has its own multiply-adds and byte products: whole groups of chains, and the remainder.
func TestPeakKernels(t *testing.T) {
	skipArithmetic(t)
	onAll(t, func(_ *testing.T, b *bench) {
		for _, n := range []uint32{4, 52, 192, 1000, 13000} {
			for _, steps := range []uint32{0, 1, 37} {
				b.verify(b.dispatch("multiply_add_f32", peak.StepsParams{N: n, Steps: steps}, nil))
				b.verify(b.dispatch("dot_add_int8", peak.StepsParams{N: n - 3, Steps: steps}, nil))
			}
		}
	})
}
