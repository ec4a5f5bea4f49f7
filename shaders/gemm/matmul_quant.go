package gemm

import (
	"cmp"
	"math"

	"assay/shaders"
	"assay/shaders/quant"
)

// QuantMatmulParams is the parameter struct of GEMMs with quantized weights: out[M,N] = a[M,K] · wᵀ with w[N,K] in blocks along K
// as quant.QuantParams describes.
type QuantMatmulParams struct{ M, N, K, Block uint32 }

func (p QuantMatmulParams) dims() (m, n, k int) { return int(p.M), int(p.N), int(p.K) }

// Weights is the shape and blocking of the weight matrix.
func (p QuantMatmulParams) Weights() quant.QuantParams {
	return quant.QuantParams{Rows: p.N, Cols: p.K, Block: p.Block}
}

func weights(c shaders.Call) quant.QuantParams { return c.Params.(QuantMatmulParams).Weights() }

func scales(c shaders.Call) int { return weights(c).Blocks() }

func zeros(c shaders.Call) int { return quant.Zeros(weights(c), c.Type) }

// quantOp is the GEMM of float activations and weights of the kernel's type.
func quantOp() *shaders.Op {
	return &shaders.Op{
		Name:   "matmul_quant",
		About:  "out[m,n] = a[m,k] · wᵀ, w[n,k] as codes with a scale per block, and for integers a zero point",
		Params: QuantMatmulParams{},
		Args: []shaders.Arg{
			{Name: "a", Len: sizeA},
			{Name: "q", Type: shaders.Var, Len: func(c shaders.Call) int { return weights(c).Codes(c.Type) }},
			{Name: "scale", Half: quant.HalfScales, Len: scales},
			{Name: "zero", Half: quant.HalfScales, Len: zeros},
			{Name: "out", Access: shaders.Out, Len: sizeOut},
		},
		Constants: []shaders.Constant{quant.HalfScalesConstant()},
		Valid:     func(c shaders.Call) error { return cmp.Or(weights(c).Valid(c.Type), few(c)) },
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			w := weights(c)
			return shaders.Cost{
				Ops:   2 * float64(m) * float64(n) * float64(k),
				Bytes: 4*(float64(m)*float64(k)+float64(m)*float64(n)) + float64(c.Type.Bytes(w.Codes(c.Type))+quant.ScaleType(c.Constants).Bytes(scales(c)+zeros(c))),
			}
		},
		Reference: quantReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			_, _, k := dims(c)
			return shaders.SumTolerance(k, shaders.F32)
		},
		Cases:  quantCases(),
		Prefer: quantPreferences(),
	}
}

func quantReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	_, n, k := dims(c)
	row, col := i/n, i%n
	var v shaders.Value
	for d := range k {
		a, w := args[0].At(row*k+d), quant.Dequantized(weights(c), args[1], args[2], args[3], col, d)
		v.Want += a * w.Want
		v.Scale += math.Abs(a) * w.Scale
	}
	return v
}

// alsoInHalf returns cases of an implementation, the first of them also with f16 scales.
func alsoInHalf(first int, cases []shaders.Case) []shaders.Case {
	return append(cases, quant.InHalf(cases[:first]...)...)
}

func quantCases() []shaders.Case {
	var cases []shaders.Case
	for _, p := range []QuantMatmulParams{
		{0, 4, 32, 32},
		{1, 1, 1, 0},
		{1, 37, 100, 32},
		{3, 65, 129, 64},
		{17, 33, 31, 32},
		{64, 64, 256, 128},
		{5, 70, 300, 0},
		{66, 130, 520, 256},
	} {
		cases = append(cases, shaders.Case{Params: p})
	}
	return append(cases, quant.InHalf(cases[2:]...)...)
}
