package cpu_test

import (
	"testing"

	"assay/shaders/gemm"
)

// TestFewRowsOfColumns covers few rows times columns of b: sums in registers of one vector to several, rows that share loads of
// b, remaining steps along k, and partial vectors.
func TestFewRowsOfColumns(t *testing.T) {
	onEach(t, func(t *testing.T, r *bench) {
		for m := uint32(1); m <= 5; m++ {
			for _, n := range []uint32{16, 48, 80, 101, 528, 1032} {
				for _, k := range []uint32{3, 70} {
					r.guarded("matmul_gemv_f32", gemm.MatmulParams{M: m, N: n, K: k, Batch: 1}, nil)
				}
			}
			r.guarded("matmul_gemv_f16", gemm.MatmulParams{M: m, N: 80, K: 7, Batch: 1}, nil)
		}
	})
}
