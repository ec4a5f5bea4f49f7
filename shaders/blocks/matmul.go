package blocks

import (
	"cmp"
	"fmt"
	"math"

	"assay/shaders"
)

// Names of the implementations of matmul_blocks, and of their tunables.
const (
	Tiled   = "tiled"
	GEMV    = "gemv"
	Vector  = "vector" // for one row
	Outputs = "outputs"
	Groups  = "groups"
)

// GEMVRows is the largest number of rows of a that GEMV takes.
const GEMVRows = 8

// BlockMatmulParams is the parameter struct of matmul_blocks: out[M,N] = a[M,K] · wᵀ with w[N,K], each row whole blocks.
type BlockMatmulParams struct{ M, N, K uint32 }

func dims(c shaders.Call) (m, n, k int) {
	p := c.Params.(BlockMatmulParams)
	return int(p.M), int(p.N), int(p.K)
}

func sizeA(c shaders.Call) int   { m, _, k := dims(c); return shaders.Product(m, k) }
func sizeW(c shaders.Call) int   { _, n, k := dims(c); return shaders.Product(n, k) }
func sizeOut(c shaders.Call) int { m, n, _ := dims(c); return shaders.Product(m, n) }

func matmulOp() *shaders.Op {
	return &shaders.Op{
		Name:   "matmul_blocks",
		About:  "out[m,n] = a[m,k] · wᵀ, w[n,k] in blocks of weights as ggml stores them",
		Params: BlockMatmulParams{},
		Args: []shaders.Arg{
			{Name: "a", Len: sizeA},
			{Name: "w", Type: shaders.Var, Len: sizeW},
			{Name: "out", Access: shaders.Out, Len: sizeOut},
		},
		Valid: func(c shaders.Call) error {
			m, n, k := dims(c)
			return cmp.Or(whole(c.Type.Block(), k), shaders.Indexable("rows of a", m), shaders.Indexable("rows of w", n),
				shaders.Indexable("products of a sum", k))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			return shaders.Cost{
				Ops:   2 * float64(m) * float64(n) * float64(k),
				Bytes: 4*(float64(m)*float64(k)+float64(m)*float64(n)) + float64(c.Type.Bytes(sizeW(c))),
			}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			_, n, k := dims(c)
			row, col := i/n, i%n
			var v shaders.Value
			for d := range k {
				a, w := args[0].At(row*k+d), weight(args[1], col*k+d)
				v.Want += a * w.Want
				v.Scale += math.Abs(a) * w.Scale
			}
			return v
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			_, _, k := dims(c)
			return shaders.SumTolerance(k, shaders.F32)
		},
		Cases: matmulCases(),
		Prefer: []shaders.Preference{
			{Impl: Vector, Tunables: shaders.Constants{Outputs: 2}, NVIDIA: true, For: isOneOfSuper, Why: "one row: bound by decoding such blocks"},
			{Impl: Vector, For: func(c shaders.Call) bool { m, _, _ := dims(c); return m == 1 }, Why: "one row: bound by reading the weights"},
			{Impl: GEMV, For: func(c shaders.Call) bool { m, _, _ := dims(c); return m <= 4 }, Why: "few rows: bound by reading the weights"},
			{Impl: Tiled, Why: "the default"},
		},
	}
}

// isOneOfSuper reports whether there is one row of a and the weights are in blocks of 256, which take the most registers to
// decode: on an H200 fewer rows of weights at once are 1.3 (q4_K) and 1.7 times (q6_K) as fast.
func isOneOfSuper(c shaders.Call) bool {
	m, _, _ := dims(c)
	return m == 1 && c.Type.Block().Weights == 256
}

func matmulCases() []shaders.Case {
	var all []shaders.Case
	for _, p := range []BlockMatmulParams{{0, 4, 256}, {2, 3, 0}, {18, 3, 0}, {1, 1, 32}, {1, 37, 160}, {3, 5, 96}, {1, 9, 768}, {2, 33, 256}, {5, 66, 512}, {66, 70, 256}} {
		all = append(all, shaders.Case{Params: p})
	}
	return all
}

// tiled is the GEMM with 64×64 tiles.
func tiled(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: Types(), Source: shaders.Embedded(files, "matmul_blocks.metal"),
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			m, n, _ := dims(c)
			return shaders.Launch{Groups: [3]uint32{uint32((n + 63) / 64), uint32((m + 63) / 64), 1}, Threads: [3]uint32{16, 16, 1}}
		},
	}
}

// few is an implementation for a limited number of rows of a, whose SIMD groups take `outputs` rows of w each.
func few(op *shaders.Op, name string, rows int, outputs ...int32) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: name, Types: Types(), Needs: shaders.Threadgroups,
		About:  fmt.Sprintf("product of up to %d rows of a with weights in blocks, which are read once and straight from memory", rows),
		Source: shaders.Embedded(files, "matmul_blocks_"+name+".metal"),
		Tunables: []shaders.Tunable{
			{Name: Outputs, Index: 0, Values: outputs, Default: outputs[len(outputs)/2], About: "rows of the weights that a SIMD group takes"},
			{Name: Groups, Index: shaders.LaunchOnly, Values: []int32{1, 2, 4, 8}, Default: 4, About: "SIMD groups in a threadgroup"},
		},
		Valid: func(c shaders.Call) error {
			if m, _, _ := dims(c); m > rows {
				return fmt.Errorf("%d rows of a, %s takes up to %d", m, name, rows)
			}
			return nil
		},
		Launch: func(c shaders.Call, limits shaders.Limits) shaders.Launch {
			m, n, _ := dims(c)
			threads := limits.Fit(32 * uint32(c.Constants[Groups]))
			each := int(threads/32) * int(c.Constants[Outputs])
			return shaders.Launch{Groups: [3]uint32{uint32((n + each - 1) / each), uint32(min(m, 1)), 1}, Threads: [3]uint32{threads, 1, 1}}
		},
	}
}

func gemv(op *shaders.Op) *shaders.Impl {
	m := few(op, GEMV, GEMVRows, 2, 4)
	m.Cases = []shaders.Case{
		{Params: BlockMatmulParams{8, 37, 544}},
		{Params: BlockMatmulParams{7, 19, 1024}, Constants: shaders.Constants{Outputs: 2, Groups: 1}},
		{Params: BlockMatmulParams{2, 9, 512}, Constants: shaders.Constants{Outputs: 2}},
	}
	return m
}

func vector(op *shaders.Op) *shaders.Impl {
	m := few(op, Vector, 1, 2, 4, 8)
	m.About = "product of one row of a with weights in blocks, which are read once and straight from memory"
	m.Cases = []shaders.Case{
		{Params: BlockMatmulParams{1, 35, 1056}, Constants: shaders.Constants{Outputs: 8, Groups: 2}},
		{Params: BlockMatmulParams{1, 21, 1024}, Constants: shaders.Constants{Outputs: 2, Groups: 1}},
		{Params: BlockMatmulParams{1, 41, 1280}, Constants: shaders.Constants{Outputs: 8}},
	}
	return m
}
