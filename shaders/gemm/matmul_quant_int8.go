package gemm

import (
	"cmp"
	"fmt"
	"math"

	"assay/shaders"
	"assay/shaders/quant"
)

// QuantInt8MatmulParams is the parameter struct of int8 activations times quantized weights, both in blocks of Block neighbors
// along K with a scale each: out[M,N] = a[M,K] · wᵀ with w[N,K]. With Block = 0 a row of a has one scale, and all of w one.
type QuantInt8MatmulParams struct{ M, N, K, Block uint32 }

func (p QuantInt8MatmulParams) dims() (m, n, k int) { return int(p.M), int(p.N), int(p.K) }

// Weights is the shape and blocking of the weight matrix.
func (p QuantInt8MatmulParams) Weights() quant.QuantParams {
	return quant.QuantParams{Rows: p.N, Cols: p.K, Block: p.Block}
}

// Activations is the shape and blocking of the activations; if the weights are one block, each row of activations is one.
func (p QuantInt8MatmulParams) Activations() quant.QuantParams {
	return quant.QuantParams{Rows: p.M, Cols: p.K, Block: cmp.Or(p.Block, max(p.K, 1))}
}

// products returns the maximum number of products that a block sums.
func (p QuantInt8MatmulParams) products() int { return int(min(p.Activations().Block, p.K)) }

// quantInt8Op is the GEMM of activations and weights that are both quantized: sums of a block are integers, and exact.
func quantInt8Op() *shaders.Op {
	params := func(c shaders.Call) QuantInt8MatmulParams { return c.Params.(QuantInt8MatmulParams) }
	aScales := func(c shaders.Call) int { return params(c).Activations().Blocks() }
	scales := func(c shaders.Call) int { return params(c).Weights().Blocks() }
	codes := func(c shaders.Call) int { return params(c).Weights().Codes(c.Type) }
	return &shaders.Op{
		Name:   "matmul_quant_int8",
		About:  "out[m,n] = a[m,k] · wᵀ, a in int8 with a scale per block, w[n,k] as codes with a scale and a zero point per block; sums of a block in int32",
		Params: QuantInt8MatmulParams{}, Finite: true, // a block may be scaled in parts
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.I8, Len: sizeA},
			{Name: "a_scale", Len: aScales},
			{Name: "q", Type: shaders.Var, Len: codes},
			{Name: "scale", Half: quant.HalfScales, Len: scales},
			{Name: "zero", Half: quant.HalfScales, Len: scales},
			{Name: "out", Access: shaders.Out, Len: sizeOut},
		},
		Constants: []shaders.Constant{quant.HalfScalesConstant()},
		Valid: func(c shaders.Call) error {
			if n := params(c).products(); n > maxInt8K {
				return fmt.Errorf("sums of %d products: int32 holds every sum of up to %d of int8", n, maxInt8K)
			}
			return cmp.Or(params(c).Weights().Valid(c.Type), few(c))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			return shaders.Cost{
				Ops: 2 * float64(m) * float64(n) * float64(k),
				Bytes: float64(m)*float64(k) + float64(c.Type.Bytes(codes(c))+quant.ScaleType(c.Constants).Bytes(2*scales(c))) +
					4*(float64(aScales(c))+float64(m)*float64(n)),
			}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			return quantInt8Reference(params(c), args, i)
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			_, _, k := dims(c)
			parts := max(params(c).Activations().Blocks()/max(1, int(params(c).M)), k/32)
			tol := shaders.SumTolerance(parts+sumSteps, shaders.F32)
			tol.Abs, tol.Why = 1e-37, "sums of a block are exact; they are scaled, and added up with at most k/32 others, in float32"
			return tol
		},
		Cases: quantInt8Cases(),
		Prefer: []shaders.Preference{
			{Impl: GEMV, For: isFew, Why: "few rows: bound by reading the weights"},
			{Impl: Tiled, Why: "the default"},
		},
	}
}

func quantInt8Cases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []QuantInt8MatmulParams{
		{0, 4, 32, 32},
		{2, 3, 0, 32},
		{1, 1, 1, 0},
		{1, 37, 100, 32},
		{3, 65, 129, 64},
		{17, 33, 31, 32},
		{5, 70, 300, 0},
		{9, 21, 45, 6},
		{66, 130, 520, 256},
	} {
		cases = append(cases, shaders.Case{Params: p})
	}
	return append(cases, quant.InHalf(cases[3:]...)...)
}

// sumSteps is the number of roundings of an output in addition to those of its sum: of scales, zero points and the lanes of a
// sum.
const sumSteps = 8

func quantInt8Reference(p QuantInt8MatmulParams, args []shaders.View, i int) shaders.Value {
	_, n, k := p.dims()
	row, col, a, w := i/n, i%n, p.Activations(), p.Weights()
	stride := 0
	if k > 0 {
		stride = w.Codes(args[2].Type) / n
	}
	var v shaders.Value
	for from := 0; from < k; from += int(a.Block) {
		ofA, ofW := a.BlockOf(row, from), w.BlockOf(col, from)
		zero := args[4].At(ofW)
		var sum, all, size float64
		for d := from; d < min(from+int(a.Block), k); d++ {
			x, q := args[0].At(row*k+d), args[2].At(col*stride+d)
			sum, all, size = sum+x*q, all+x, size+math.Abs(x)*(math.Abs(q)+math.Abs(zero))
		}
		scale := args[1].At(ofA) * args[3].At(ofW)
		v.Want += scale * (sum - zero*all)
		v.Scale += math.Abs(scale) * size
	}
	return v
}

func tiledQuantInt8(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: []shaders.Type{shaders.I8, shaders.I4}, Source: shaders.Embedded(files, "matmul_quant_int8.metal"),
		Constants: op.Constants,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			return tiles(c, 64, [3]uint32{16, 16, 1})
		},
	}
}

// gemvQuantInt8 reads the weights once for all rows of a, of which there are few.
func gemvQuantInt8(op *shaders.Op) *shaders.Impl {
	const outputs = 4 // rows of the weights that a SIMD group takes, as in the source
	return &shaders.Impl{
		Op: op, Name: GEMV, Types: []shaders.Type{shaders.I8, shaders.I4}, Needs: shaders.Threadgroups,
		About:     fmt.Sprintf("product of up to %d rows of int8 with quantized weights, which are read straight from memory", GEMVRows),
		Source:    shaders.Embedded(files, "matmul_quant_int8_gemv.metal"),
		Constants: op.Constants,
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
		Cases: alsoInHalf(3, []shaders.Case{
			{Params: QuantInt8MatmulParams{8, 37, 544, 32}},
			{Params: QuantInt8MatmulParams{1, 35, 2080, 96}, Constants: shaders.Constants{Groups: 2}},
			{Params: QuantInt8MatmulParams{2, 9, 320, 0}},
			{Params: QuantInt8MatmulParams{4, 35, 160, 40}}, // blocks that packs do not divide
		}),
	}
}
