package shaders

import "math"

// QuantMatmulParams is the parameter struct of the quantised matmuls: out[M,N] = a[M,K] · wᵀ with w[N,K] in blocks
// along K as QuantParams describes.
type QuantMatmulParams struct{ M, N, K, Block uint32 }

// Weights is the shape and blocking of the weight matrix.
func (p QuantMatmulParams) Weights() QuantParams { return QuantParams{p.N, p.K, p.Block} }

// QuantMatmul lists the products of float activations with int8 and int4 weights.
func QuantMatmul() []Kernel { return []Kernel{quantMatmulKernel(I8), quantMatmulKernel(I4)} }

func quantMatmulKernel(t Type) Kernel {
	of := func(p any) QuantMatmulParams { return p.(QuantMatmulParams) }
	scales := func(p any) int { return of(p).Weights().Blocks() }
	return Kernel{
		Name: "matmul" + suffix(t), File: "matmul_quant.metal",
		About:  "out[m,n] = a[m,k] · wᵀ, w[n,k] as " + t.String() + " codes with a scale and zero point per block",
		Params: QuantMatmulParams{},
		Args: []Arg{
			{Name: "a", Len: func(p any) int { return product(int(of(p).M), int(of(p).K)) }},
			{Name: "q", Type: t, Len: func(p any) int { return of(p).Weights().Codes(t) }},
			{Name: "scale", Len: scales},
			{Name: "zero", Len: scales},
			{Name: "out", Access: Out, Len: func(p any) int { return product(int(of(p).M), int(of(p).N)) }},
		},
		Valid:  func(p any) error { return of(p).Weights().valid(t) },
		Launch: func(p any) Launch { return tiles(int(of(p).M), int(of(p).N)) },
		Cost: func(p any, _ Constants) Cost {
			q := of(p)
			m, n, k := float64(q.M), float64(q.N), float64(q.K)
			w := q.Weights()
			return Cost{2 * m * n * k, 4*(m*k+m*n) + float64(t.Bytes(w.Codes(t))+8*w.Blocks())}
		},
		Reference: func(p any, _ Constants, args []View, _, i int) Value {
			q := of(p)
			row, col := i/int(q.N), i%int(q.N)
			var v Value
			for d := range int(q.K) {
				a, w := args[0].At(row*int(q.K)+d), dequantised(q.Weights(), args[1], args[2], args[3], col, d)
				v.Want += a * w.Want
				v.Scale += math.Abs(a) * w.Scale
			}
			return v
		},
		Tolerance: func(p any, _ Constants) Tolerance { return sumTolerance(int(of(p).K), F32) },
		Cases:     quantMatmulCases(),
	}
}

func quantMatmulCases() []Case {
	var cases []Case
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
		cases = append(cases, Case{Params: p})
	}
	return cases
}
