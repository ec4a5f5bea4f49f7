// Package gemm is the family of matrix multiplications.
package gemm

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Names of the constants of matmul.
const (
	TransposeA = "transpose_a"
	TransposeB = "transpose_b"
	HasBias    = "has_bias"
	Activation = "activation"
)

// MatmulParams is the parameter struct of matmul: out[M,N] = act(a[M,K] · b + bias[N]), for each GEMM of a batch of at least one.
// The matrices of a batch are contiguous; all have the same bias.
type MatmulParams struct{ M, N, K, Batch uint32 }

func (p MatmulParams) dims() (m, n, k int) { return int(p.M), int(p.N), int(p.K) }

// Family lists the implementations.
func Family() []*shaders.Impl {
	matmul, quant, quantInt8, bitLinear := matmulOp(), quantOp(), quantInt8Op(), bitLinearOp()
	return []*shaders.Impl{
		tiledMatmul(matmul),
		naive(matmul),
		blocked(matmul),
		simd(matmul),
		gemv(matmul),
		library(matmul, shaders.MPS, shaders.F32, shaders.F16),
		library(matmul, shaders.CuBLAS, shaders.F32, shaders.F16, shaders.BF16),
		library(matmul, shaders.OpenBLAS, shaders.F32),
		library(matmul, shaders.Accelerate, shaders.F32),
		tiledQuant(quant),
		gemvQuant(quant),
		vectorQuant(quant),
		keptQuant(quant),
		tiledQuantInt8(quantInt8),
		gemvQuantInt8(quantInt8),
		tiledInt8(int8Op()),
		tiledBitLinear(bitLinear),
		gemvBitLinear(bitLinear),
	}
}

// library is a platform's own GEMM, as a comparison for ours: without bias and activation. How it accumulates is up to the
// library: the tolerance is that of a float sum, and a library that misses it is shown as wrong.
func library(op *shaders.Op, l shaders.Library, types ...shaders.Type) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: string(l), Library: l, Types: types,
		About:     "out[m,n] = a · b by " + l.Full() + ", row-major; a is [m,k] and b is [k,n], each possibly transposed",
		Constants: slices.DeleteFunc(slices.Clone(op.Constants), func(c shaders.Constant) bool { return !transposes(c.Name) }),
		Dims: func(c shaders.Call) []uint32 {
			p := c.Params.(MatmulParams)
			return []uint32{p.M, p.N, p.K, p.Batch}
		},
	}
}

// few refuses sizes for which the loops of kernels would wrap around.
func few(c shaders.Call) error {
	m, n, k := dims(c)
	return cmp.Or(shaders.Indexable("rows of a", m), shaders.Indexable("columns of b", n), shaders.Indexable("products of a sum", k))
}

// sized is the parameters of a GEMM: out[m,n] from a[m,k].
type sized interface{ dims() (m, n, k int) }

var _, _, _, _, _ sized = MatmulParams{}, QuantMatmulParams{}, QuantInt8MatmulParams{}, Int8MatmulParams{}, BitLinearParams{}

func dims(c shaders.Call) (m, n, k int) { return c.Params.(sized).dims() }

// batch is the number of GEMMs; those with codes have no batch.
func batch(c shaders.Call) int {
	if p, ok := c.Params.(MatmulParams); ok {
		return int(p.Batch)
	}
	return 1
}

func transposes(constant string) bool { return constant == TransposeA || constant == TransposeB }

func sizeA(c shaders.Call) int   { m, _, k := dims(c); return batched(c, m, k) }
func sizeB(c shaders.Call) int   { _, n, k := dims(c); return batched(c, n, k) }
func columns(c shaders.Call) int { _, n, _ := dims(c); return n }
func sizeOut(c shaders.Call) int { m, n, _ := dims(c); return batched(c, m, n) }

// batched returns the number of elements of a batch of matrices.
func batched(c shaders.Call, rows, cols int) int {
	return shaders.Product(rows, cols, batch(c))
}

func matmulOp() *shaders.Op {
	return &shaders.Op{
		Name:   "matmul",
		About:  "out[m,n] = act(a · b + bias[n]) for each of a batch, row-major; a is [m,k] and b is [k,n], each possibly transposed",
		Params: MatmulParams{},
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.Var, Len: sizeA},
			{Name: "b", Type: shaders.Var, Len: sizeB},
			{Name: "bias", Type: shaders.Var, If: HasBias, Len: columns},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: sizeOut},
		},
		Constants: []shaders.Constant{
			{Name: TransposeB, Index: 0, Max: 1, About: "b is stored as [n,k]"},
			{Name: HasBias, Index: 1, Max: 1, About: "a bias per column is added"},
			{Name: Activation, Index: 2, Max: int32(len(shaders.Activations())) - 1, About: activationNames()},
			{Name: TransposeA, Index: 3, Max: 1, About: "a is stored as [k,m]"},
		},
		Valid: func(c shaders.Call) error {
			if batch(c) == 0 {
				return errors.New("batch is 0, want 1 or more")
			}
			return few(c)
		},
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			outs := float64(batch(c)) * float64(m) * float64(n)
			return shaders.Cost{
				Ops:   outs * (2*float64(k) + epilogueOps(c.Constants)),
				Bytes: float64(c.Type.Bytes(sizeA(c) + sizeB(c) + sizeOut(c) + n*int(c.Constants[HasBias]))),
			}
		},
		Reference: matmulReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			_, _, k := dims(c)
			return shaders.SumTolerance(k, c.Type)
		},
		Cases:  matmulCases(),
		Prefer: preferences(),
	}
}

// activationNames describes the values of the Activation constant: "0 none, 1 ReLU".
func activationNames() string {
	var names []string
	for i, a := range shaders.Activations() {
		names = append(names, fmt.Sprintf("%d %s", i, a.Title))
	}
	return strings.Join(names, ", ")
}

func activation(c shaders.Constants) shaders.Activation { return shaders.ActivationOf(c[Activation]) }

// epilogueOps counts the operations per output element that follow the sum.
func epilogueOps(c shaders.Constants) float64 { return float64(c[HasBias]) + activation(c).Ops }

// along returns the index of the first element of row `at` of the [rows, k] operand of GEMM b, and the distance of its elements
// along k; transposed, it is stored as [k, rows].
func along(transposed int32, b, rows, k, at int) (first, step int) {
	if transposed != 0 {
		return b*rows*k + at, rows
	}
	return b*rows*k + at*k, 1
}

func matmulReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	m, n, k := dims(c)
	b, row, col := i/(m*n), i/n%m, i%n
	inA, stepA := along(c.Constants[TransposeA], b, m, k, row)
	inB, stepB := along(1-c.Constants[TransposeB], b, n, k, col)
	var v shaders.Value
	for d := range k {
		term := args[0].At(inA+d*stepA) * args[1].At(inB+d*stepB)
		v.Want += term
		v.Scale += math.Abs(term)
	}
	if c.Constants[HasBias] != 0 {
		v.Want += args[2].At(col)
		v.Scale += math.Abs(args[2].At(col))
	}
	act := activation(c.Constants)
	v.Want = act.Eval(v.Want)
	v.Scale *= act.Slope
	return v
}

func matmulCases() []shaders.Case {
	shapes := []MatmulParams{
		{0, 5, 5, 1},
		{5, 5, 0, 1},
		{1, 1, 1, 1},
		{1, 64, 64, 1},
		{3, 5, 7, 2},
		{16, 16, 16, 1},
		{17, 33, 31, 3},
		{64, 64, 64, 1},
		{65, 63, 129, 1},
		{5, 257, 300, 1},
	}
	fused := []shaders.Constants{
		{HasBias: 1, Activation: shaders.ActGelu},
		{TransposeB: 1, HasBias: 1, Activation: shaders.ActRelu},
		{HasBias: 1},
		{TransposeB: 1, Activation: shaders.ActGelu},
	}
	cases := []shaders.Case{
		{Params: MatmulParams{3, 66, 41, 2}, Constants: shaders.Constants{TransposeA: 1}},
		{Params: MatmulParams{67, 34, 29, 1}, Constants: shaders.Constants{TransposeA: 1}},
		{Params: MatmulParams{19, 35, 66, 3}, Constants: shaders.Constants{TransposeA: 1, TransposeB: 1}},
	}
	for i, s := range shapes {
		cases = append(cases, shaders.Case{Params: s, Constants: fused[i%len(fused)]},
			shaders.Case{Params: s}, shaders.Case{Params: s, Constants: shaders.Constants{TransposeB: 1}})
	}
	return cases
}
