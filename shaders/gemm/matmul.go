// Package gemm is the family of matrix products.
package gemm

import (
	"embed"
	"fmt"
	"math"
	"strings"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Names of the constants of matmul.
const (
	TransposeB = "transpose_b"
	HasBias    = "has_bias"
	Activation = "activation"
)

// MatmulParams is the parameter struct of matmul: out[M,N] = act(a[M,K] · b + bias[N]).
type MatmulParams struct{ M, N, K uint32 }

func (p MatmulParams) dims() (m, n, k int) { return int(p.M), int(p.N), int(p.K) }

// Family lists the implementations.
func Family() []*shaders.Impl {
	matmul := matmulOp()
	return []*shaders.Impl{
		tiled(matmul, "matmul.metal", shaders.F32, shaders.F16),
		library(matmul, shaders.MPS),
		tiled(quantOp(), "matmul_quant.metal", shaders.I8, shaders.I4),
	}
}

// tiled makes 64×64 tiles of the output from operands in threadgroup memory. It needs no simdgroup_matrix.
func tiled(op *shaders.Op, file string, types ...shaders.Type) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: "tiled", Types: types, Source: shaders.Embedded(files, file), Constants: op.Constants,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			m, n, _ := dims(c)
			return tiles(m, n)
		},
	}
}

// library is a platform's own product, beside which ours stand: without a bias and an activation. What it adds its
// products up in is its own affair: the tolerance is that of a float sum, and a library that misses it is shown as wrong.
func library(op *shaders.Op, l shaders.Library) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: string(l), Library: l, Types: []shaders.Type{shaders.F32, shaders.F16},
		About:     "out[m,n] = a[m,k] · b by " + l.Full() + ", row-major; b is [k,n], or [n,k] with transpose_b",
		Constants: op.Constants[:1], // transpose_b
		Dims: func(c shaders.Call) []uint32 {
			p := c.Params.(MatmulParams)
			return []uint32{p.M, p.N, p.K}
		},
	}
}

// sized is the parameters of a product: out[m,n] from a[m,k].
type sized interface{ dims() (m, n, k int) }

var _, _ sized = MatmulParams{}, QuantMatmulParams{}

func dims(c shaders.Call) (m, n, k int) { return c.Params.(sized).dims() }

func sizeA(c shaders.Call) int   { m, _, k := dims(c); return shaders.Product(m, k) }
func sizeB(c shaders.Call) int   { _, n, k := dims(c); return shaders.Product(n, k) }
func columns(c shaders.Call) int { _, n, _ := dims(c); return n }
func sizeOut(c shaders.Call) int { m, n, _ := dims(c); return shaders.Product(m, n) }

func matmulOp() *shaders.Op {
	return &shaders.Op{
		Name:   "matmul",
		About:  "out[m,n] = act(a[m,k] · b + bias[n]), row-major; b is [k,n], or [n,k] with transpose_b",
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
		},
		Cost: func(c shaders.Call) shaders.Cost {
			m, n, k := dims(c)
			return shaders.Cost{
				Ops:   2*float64(m)*float64(n)*float64(k) + float64(m)*float64(n)*epilogueOps(c.Constants),
				Bytes: float64(c.Type.Bytes(m*k + n*k + m*n + n*int(c.Constants[HasBias]))),
			}
		},
		Reference: matmulReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			_, _, k := dims(c)
			return shaders.SumTolerance(k, c.Type)
		},
		Cases: matmulCases(),
	}
}

// activationNames says what the values of the Activation constant mean: "0 none, 1 ReLU".
func activationNames() string {
	var names []string
	for i, a := range shaders.Activations() {
		names = append(names, fmt.Sprintf("%d %s", i, a.Title))
	}
	return strings.Join(names, ", ")
}

func activation(c shaders.Constants) shaders.Activation { return shaders.Activations()[c[Activation]] }

// epilogueOps counts the operations per output element that follow the sum.
func epilogueOps(c shaders.Constants) float64 { return float64(c[HasBias]) + activation(c).Ops }

// tiles covers an m×n output with 64×64 tiles of 16×16 threads.
func tiles(m, n int) shaders.Launch {
	return shaders.Launch{Groups: [3]uint32{uint32((n + 63) / 64), uint32((m + 63) / 64), 1}, Threads: [3]uint32{16, 16, 1}}
}

func matmulReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	_, n, k := dims(c)
	row, col := i/n, i%n
	step, at := n, col
	if c.Constants[TransposeB] != 0 {
		step, at = 1, col*k
	}
	var v shaders.Value
	for d := range k {
		term := args[0].At(row*k+d) * args[1].At(at+d*step)
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
	var cases []shaders.Case
	for i, s := range shapes {
		for t := range int32(2) {
			c := shaders.Constants{TransposeB: t, HasBias: int32(i+int(t)) % 2, Activation: int32(i % len(shaders.Activations()))}
			cases = append(cases, shaders.Case{Params: s, Constants: c},
				shaders.Case{Params: s, Constants: shaders.Constants{TransposeB: t}})
		}
	}
	return cases
}
