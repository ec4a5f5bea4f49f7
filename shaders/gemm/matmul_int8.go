package gemm

import (
	"fmt"

	"assay/shaders"
)

// Int8MatmulParams is the parameter struct of int8 times int8: out[M,N] = a[M,K] · wᵀ with w[N,K], in int32.
type Int8MatmulParams struct{ M, N, K uint32 }

func (p Int8MatmulParams) dims() (m, n, k int) { return int(p.M), int(p.N), int(p.K) }

// maxInt8K is the largest K whose sums cannot overflow: products of −128.
const maxInt8K = 1<<31/(128*128) - 1

// int8Op is the exact GEMM that quantized activations and weights share, before their scales are applied.
func int8Op() *shaders.Op {
	return &shaders.Op{
		Name:   "matmul_int8",
		About:  "out[m,n] = a[m,k] · wᵀ, a and w[n,k] in int8, sums in int32",
		Params: Int8MatmulParams{},
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.I8, Len: sizeA},
			{Name: "w", Type: shaders.I8, Len: sizeB},
			{Name: "out", Type: shaders.I32, Access: shaders.Out, Len: sizeOut},
		},
		Valid: func(c shaders.Call) error {
			if _, _, k := dims(c); k > maxInt8K {
				return fmt.Errorf("sums of %d products: int32 holds every sum of up to %d of int8", k, maxInt8K)
			}
			return few(c)
		},
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			return shaders.Cost{
				Ops:   2 * float64(m) * float64(n) * float64(k),
				Bytes: float64(m)*float64(k) + float64(n)*float64(k) + 4*float64(m)*float64(n),
			}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			_, n, k := dims(c)
			row, col := i/n, i%n
			var v shaders.Value
			for d := range k {
				v.Want += args[0].At(row*k+d) * args[1].At(col*k+d)
			}
			return v
		},
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "sums of integers are exact"} },
		Cases: []shaders.Case{
			{Params: Int8MatmulParams{0, 4, 5}},
			{Params: Int8MatmulParams{2, 3, 0}},
			{Params: Int8MatmulParams{1, 1, 1}},
			{Params: Int8MatmulParams{17, 33, 31}},
			{Params: Int8MatmulParams{65, 70, 129}},
		},
	}
}

// tiledInt8 is that GEMM in 64×64 tiles.
func tiledInt8(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: []shaders.Type{shaders.I8}, Source: shaders.Embedded(files, "matmul_int8.metal"),
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			return tiles(c, 64, [3]uint32{16, 16, 1})
		},
	}
}
