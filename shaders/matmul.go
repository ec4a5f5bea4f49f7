package shaders

import "math"

// Names of the function constants of matmul.
const (
	TransposeB = "transpose_b"
	HasBias    = "has_bias"
	Activation = "activation"
)

// Values of the Activation constant.
const (
	ActNone int32 = iota
	ActRelu
	ActGelu
)

// MatmulParams is the parameter struct of matmul: out[M,N] = act(a[M,K] · b + bias[N]).
type MatmulParams struct{ M, N, K uint32 }

// Matmul lists the matrix products, in f32 and f16; both add up in float.
func Matmul() []Kernel { return []Kernel{matmulKernel(F32), matmulKernel(F16)} }

func matmulKernel(t Type) Kernel {
	dims := func(p any) (m, n, k int) {
		q := p.(MatmulParams)
		return int(q.M), int(q.N), int(q.K)
	}
	return Kernel{
		Name: "matmul_" + t.String(), File: "matmul.metal",
		About:  "out[m,n] = act(a[m,k] · b + bias[n]), row-major; b is [k,n], or [n,k] with transpose_b",
		Params: MatmulParams{},
		Args: []Arg{
			{Name: "a", Type: t, Len: func(p any) int { m, _, k := dims(p); return product(m, k) }},
			{Name: "b", Type: t, Len: func(p any) int { _, n, k := dims(p); return product(n, k) }},
			{Name: "bias", Type: t, If: HasBias, Len: func(p any) int { _, n, _ := dims(p); return n }},
			{Name: "out", Type: t, Access: Out, Len: func(p any) int { m, n, _ := dims(p); return product(m, n) }},
		},
		Constants: []Constant{
			{TransposeB, 0, 1, "b is stored as [n,k]"},
			{HasBias, 1, 1, "a bias per column is added"},
			{Activation, 2, ActGelu, "0 none, 1 ReLU, 2 GELU (tanh form)"},
		},
		Launch: func(p any) Launch { m, n, _ := dims(p); return tiles(m, n) },
		Cost: func(p any, c Constants) Cost {
			m, n, k := dims(p)
			return Cost{
				2*float64(m)*float64(n)*float64(k) + float64(m)*float64(n)*epilogueOps(c),
				float64(t.Bytes(m*k + n*k + m*n + n*int(c[HasBias]))),
			}
		},
		Reference: matmulReference,
		Tolerance: func(p any, _ Constants) Tolerance {
			_, _, k := dims(p)
			return sumTolerance(k, t)
		},
		Cases: matmulCases(),
	}
}

// epilogueOps counts the operations per output element that follow the sum.
func epilogueOps(c Constants) float64 {
	return float64(c[HasBias]) + []float64{0, 1, 8}[c[Activation]]
}

// tiles covers an m×n output with 64×64 tiles of 16×16 threads.
func tiles(m, n int) Launch {
	return Launch{Groups: [3]uint32{uint32((n + 63) / 64), uint32((m + 63) / 64), 1}, Threads: [3]uint32{16, 16, 1}}
}

// sumRoundings is the part of √k·2⁻²⁴ that a sum of k terms may be off by.
const sumRoundings = 8

// sumTolerance bounds a float sum of k products, in any order, stored as t. Each addition rounds by at most 2⁻²⁴ of a
// partial sum, and so by at most that of the sum of magnitudes; of inputs without a pattern the roundings are a random
// walk, which ends near √k of them and not at the k of the worst case. That holds in any order: terms taken one by one
// give the largest errors, about ⅓·√k·2⁻²⁴ if all are positive, far less where they cancel or are added in lanes.
func sumTolerance(k int, t Type) Tolerance {
	tol := rounding(t)
	tol.Rel += min(float64(k), sumRoundings*math.Sqrt(float64(k))) * 0x1p-24
	tol.Why = "8·√k·2⁻²⁴ (k·2⁻²⁴ up to k = 64) of the sum of the terms' magnitudes, and the store's rounding"
	return tol
}

func matmulReference(p any, c Constants, args []View, _, i int) Value {
	q := p.(MatmulParams)
	n, k := int(q.N), int(q.K)
	row, col := i/n, i%n
	step, at := n, col
	if c[TransposeB] != 0 {
		step, at = 1, col*k
	}
	var v Value
	for d := range k {
		term := args[0].At(row*k+d) * args[1].At(at+d*step)
		v.Want += term
		v.Scale += math.Abs(term)
	}
	if c[HasBias] != 0 {
		v.Want += args[2].At(col)
		v.Scale += math.Abs(args[2].At(col))
	}
	switch c[Activation] {
	case ActRelu:
		v.Want = relu(v.Want)
	case ActGelu:
		v.Want = Gelu(v.Want)
		v.Scale *= 1.13 // the greatest slope of GELU
	}
	return v
}

func matmulCases() []Case {
	shapes := []MatmulParams{
		{0, 5, 5},
		{5, 5, 0},
		{1, 1, 1},
		{1, 64, 64},
		{3, 5, 7},
		{16, 16, 16},
		{17, 33, 31},
		{64, 64, 64},
		{65, 63, 129},
		{5, 257, 300},
		{130, 70, 520},
	}
	var cases []Case
	for i, s := range shapes {
		for t := range int32(2) {
			c := Constants{TransposeB: t, HasBias: int32(i+int(t)) % 2, Activation: int32(i) % 3}
			cases = append(cases, Case{s, c}, Case{s, Constants{TransposeB: t}})
		}
	}
	return cases
}
