package blocks

import (
	"fmt"
	"math"

	"assay/shaders"
)

// Rounded returns how many activations of a row share a scale in matmul_blocks_int8: as many as a block has weights.
func Rounded(t shaders.Type) int { return t.Block().Weights }

// int8Op is the GEMM of int8 activations and weights in blocks; matmul is its float counterpart.
func int8Op(matmul *shaders.Op) *shaders.Op {
	aScales := func(c shaders.Call) int { m, _, k := dims(c); return shaders.Product(m, k/Rounded(c.Type)) }
	return &shaders.Op{
		Name:   "matmul_blocks_int8",
		About:  "out[m,n] = a[m,k] · wᵀ, w[n,k] in blocks of weights as ggml stores them, a in int8 with a scale for each block along k",
		Params: BlockMatmulParams{}, Finite: true, // a block may be scaled in parts
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.I8, Len: sizeA},
			{Name: "a_scale", Len: aScales},
			{Name: "w", Type: shaders.Var, Len: sizeW},
			{Name: "out", Access: shaders.Out, Len: sizeOut},
		},
		Valid: matmul.Valid,
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			return shaders.Cost{
				Ops:   2 * float64(m) * float64(n) * float64(k),
				Bytes: float64(m)*float64(k) + 4*(float64(aScales(c))+float64(m)*float64(n)) + float64(c.Type.Bytes(sizeW(c))),
			}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			_, n, k := dims(c)
			row, col := i/n, i%n
			var v shaders.Value
			for d := range k {
				a, w := args[0].At(row*k+d)*args[1].At((row*k+d)/Rounded(c.Type)), weight(args[2], col*k+d)
				v.Want += a * w.Want
				v.Scale += math.Abs(a) * w.Scale
			}
			return v
		},
		Tolerance: matmul.Tolerance,
		Cases:     matmulCases(),
		Prefer: []shaders.Preference{
			{Impl: GEMV, For: func(c shaders.Call) bool { m, _, _ := dims(c); return m <= 4 }, Why: "few rows: bound by reading the weights"},
			{Impl: Tiled, Why: "the default"},
		},
	}
}

func tiledInt8(op *shaders.Op) *shaders.Impl {
	m := tiled(op)
	m.Source = shaders.Embedded(files, "matmul_blocks_int8.metal")
	return m
}

// gemvInt8 reads the weights once for all rows of a, of which there are few.
func gemvInt8(op *shaders.Op) *shaders.Impl {
	const outputs = 4 // rows of the weights that a SIMD group takes, as in the source
	return &shaders.Impl{
		Op: op, Name: GEMV, Types: Types(), Needs: shaders.Threadgroups,
		About:  fmt.Sprintf("product of up to %d rows of int8 with weights in blocks, which are read straight from memory", GEMVRows),
		Source: shaders.Embedded(files, "matmul_blocks_int8_gemv.metal"),
		Tunables: []shaders.Tunable{
			{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{1, 2, 4, 8}, Default: 4, About: "SIMD groups in a threadgroup"},
		},
		Valid: func(c shaders.Call) error {
			if m, _, _ := dims(c); m > GEMVRows {
				return fmt.Errorf("%d rows of a, %s takes up to %d", m, GEMV, GEMVRows)
			}
			return nil
		},
		Launch: func(c shaders.Call, limits shaders.Limits) shaders.Launch {
			m, n, _ := dims(c)
			threads := limits.Fit(32 * uint32(c.Constants[Groups]))
			each := int(threads/32) * outputs
			return shaders.Launch{Groups: [3]uint32{uint32((n + each - 1) / each), uint32(min(m, 1)), 1}, Threads: [3]uint32{threads, 1, 1}}
		},
		Cases: []shaders.Case{
			{Params: BlockMatmulParams{8, 37, 544}},
			{Params: BlockMatmulParams{7, 19, 1024}, Constants: shaders.Constants{Groups: 1}},
			{Params: BlockMatmulParams{1, 35, 1280}},
		},
	}
}
