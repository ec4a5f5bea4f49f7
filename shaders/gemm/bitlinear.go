package gemm

import (
	"cmp"
	"fmt"
	"math"

	"assay/shaders"
	"assay/shaders/quant"
)

// BitLinearParams is the parameter struct of int8 activations times ternary weights: out[M,N] = a[M,K] · wᵀ with w[N,K], times
// the scales of a row of a and of w.
type BitLinearParams struct{ M, N, K uint32 }

func (p BitLinearParams) dims() (m, n, k int) { return int(p.M), int(p.N), int(p.K) }

// maxTernaryK is the largest K whose sums cannot overflow during computation: products of −128 and two-bit codes of up to 3.
const maxTernaryK = 1<<31/(4*128) - 1

// bitLinearOp is the linear layer of BitNet: activations are quantized by quantize_rows, weights have one scale.
func bitLinearOp() *shaders.Op {
	weights := func(c shaders.Call) quant.QuantParams {
		_, n, k := dims(c)
		return quant.QuantParams{Rows: uint32(n), Cols: uint32(k)}
	}
	rows := func(c shaders.Call) int { m, _, _ := dims(c); return m }
	return &shaders.Op{
		Name:   "matmul_bitlinear",
		About:  "out[m,n] = a[m,k] · wᵀ · scales, a in int8 with a scale per row, w[n,k] ternary with one scale; sums in int32",
		Params: BitLinearParams{},
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.I8, Len: sizeA},
			{Name: "a_scale", Len: rows},
			{Name: "q", Type: shaders.Var, Len: func(c shaders.Call) int { return weights(c).Codes(c.Type) }},
			{Name: "scale", Len: func(shaders.Call) int { return 1 }},
			{Name: "out", Access: shaders.Out, Len: sizeOut},
		},
		Valid: func(c shaders.Call) error {
			if _, _, k := dims(c); k > maxTernaryK {
				return fmt.Errorf("sums of %d products: int32 holds every sum of up to %d of int8 and ternary codes", k, maxTernaryK)
			}
			return cmp.Or(few(c), weights(c).Valid(c.Type))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			return shaders.Cost{
				Ops:   2 * float64(m) * float64(n) * float64(k),
				Bytes: float64(m)*float64(k) + float64(c.Type.Bytes(weights(c).Codes(c.Type))) + 4*(float64(m)*float64(n)+float64(m)+1),
			}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			_, n, k := dims(c)
			row, col, stride := i/n, i%n, weights(c).Codes(c.Type)/n
			var sum float64
			for d := range k {
				sum += args[0].At(row*k+d) * args[2].At(col*stride+d)
			}
			want := sum * (args[1].At(row) * args[3].At(0))
			return shaders.Value{Want: want, Scale: math.Abs(want)}
		},
		Tolerance: func(shaders.Call) shaders.Tolerance {
			return shaders.Tolerance{Rel: 4e-7, Abs: 1e-37, Why: "sums of integers are exact; their conversion and two products are rounded"}
		},
		Cases: []shaders.Case{
			{Params: BitLinearParams{0, 4, 5}},
			{Params: BitLinearParams{2, 3, 0}},
			{Params: BitLinearParams{1, 1, 1}},
			{Params: BitLinearParams{1, 37, 1056}},
			{Params: BitLinearParams{2, 19, 301}},
			{Params: BitLinearParams{5, 33, 160}},
			{Params: BitLinearParams{17, 33, 31}},
			{Params: BitLinearParams{66, 70, 1130}},
		},
		Prefer: []shaders.Preference{
			{Impl: GEMV, For: isFew, Why: "few rows: bound by reading the weights"},
			{Impl: Tiled, Why: "the default"},
		},
	}
}

func tiledBitLinear(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: []shaders.Type{shaders.Ternary}, Source: shaders.Embedded(files, "matmul_bitlinear.metal"),
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			return tiles(c, 64, [3]uint32{16, 16, 1})
		},
	}
}

// gemvBitLinear reads the weights once for all rows of a, of which there are few.
func gemvBitLinear(op *shaders.Op) *shaders.Impl {
	const outputs = 4 // rows of the weights that a SIMD group takes, as in the source
	return &shaders.Impl{
		Op: op, Name: GEMV, Types: []shaders.Type{shaders.Ternary}, Needs: shaders.Threadgroups,
		About:  fmt.Sprintf("product of up to %d rows of int8 with ternary weights, which are read straight from memory", GEMVRows),
		Source: shaders.Embedded(files, "matmul_bitlinear_gemv.metal"),
		Tunables: []shaders.Tunable{
			{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{2, 4, 8}, Default: 4, About: "SIMD groups in a threadgroup"},
		},
		Valid: fewEnough,
		Launch: func(c shaders.Call, limits shaders.Limits) shaders.Launch {
			m, n, _ := dims(c)
			threads := limits.Fit(32 * uint32(c.Constants[Groups]))
			tile := int(threads) / 32 * outputs
			return shaders.Launch{
				Groups:  [3]uint32{uint32((n + tile - 1) / tile), uint32(min(m, 1)), 1},
				Threads: [3]uint32{threads, 1, 1},
			}
		},
		Cases: []shaders.Case{
			{Params: BitLinearParams{8, 37, 544}},
			{Params: BitLinearParams{1, 35, 2080}, Constants: shaders.Constants{Groups: 2}},
			{Params: BitLinearParams{3, 9, 97}},
		},
	}
}
