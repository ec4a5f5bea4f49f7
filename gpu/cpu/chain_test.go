package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/chain"
)

// randomChain draws a program of steps whose results stay finite: it has no logarithms, and no divisions by values that may be
// near 0.
func randomChain(r *rand.Rand) chain.Program {
	p := chain.Program{Inputs: 1 + r.IntN(chain.MaxInputs), Reduce: chain.Reduction(r.IntN(4))}
	for range r.IntN(4) {
		p.Constants = append(p.Constants, float32(r.Float64()*2-1))
	}
	safe := []string{"add", "sub", "mul", "max", "min", "relu", "gelu", "gelu_erf", "silu", "sigmoid", "tanh", "neg", "abs"}
	for i := range r.IntN(12) {
		op := chainCode(safe[r.IntN(len(safe))])
		s := chain.Step{Op: op, X: r.IntN(p.Inputs + len(p.Constants) + i)}
		s.Y = s.X
		if chain.Operations()[op].Operands == 2 {
			s.Y = r.IntN(p.Inputs + len(p.Constants) + i)
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// chainCode returns the code of an operation.
func chainCode(name string) chain.Code {
	return chain.Code(slices.IndexFunc(chain.Operations(), func(o chain.Operation) bool { return o.Name == name }))
}

// randomShape has dimensions around the edges of vectors and blocks; inputs are whole, broadcast or transposed.
func randomShape(r *rand.Rand, inputs int) chain.Shape {
	s := chain.Shape{Dims: [4]int{1 + r.IntN(3), 1 + r.IntN(3), 1 + r.IntN(9), 1 + r.IntN(600)}}
	for range inputs {
		var strides [4]int
		order, stride := []int{3, 2, 1, 0}, 1
		if r.IntN(4) == 0 {
			order[0], order[1] = 2, 3
		}
		for _, d := range order {
			if r.IntN(4) > 0 {
				strides[d] = stride
				stride *= s.Dims[d]
			}
		}
		s.Strides = append(s.Strides, strides)
	}
	return s
}

// chained creates the dispatch of a chain on random inputs.
func (b *bench) chained(p chain.Program, s chain.Shape, t shaders.Type) gpu.Launch {
	b.Helper()
	k, params, err := chain.New(p, s, t, fmt.Sprintf("%+v", p))
	if err != nil {
		b.Fatal(err)
	}
	return b.dispatchOf(k, params)
}

// TestChains draws chains of every length and compares the interpreted results with the reference.
func TestChains(t *testing.T) {
	skipArithmetic(t)
	onEach(t, func(t *testing.T, b *bench) {
		r := rand.New(rand.NewPCG(4, 5))
		for i := range 120 {
			p := randomChain(r)
			b.verify(b.chained(p, randomShape(r, p.Inputs), shaders.Type(i%2)))
		}
	})
}

// TestChainOperations runs every operation on values for which it is defined.
func TestChainOperations(t *testing.T) {
	skipArithmetic(t)
	onEach(t, func(t *testing.T, b *bench) {
		for code, op := range chain.Operations() {
			// |x| + ½ of the first input, so that roots and logarithms are defined
			abs, add := chainCode("abs"), chainCode("add")
			p := chain.Program{Inputs: 2, Constants: []float32{0.5}, Steps: []chain.Step{
				{Op: abs}, {Op: add, X: 3, Y: 2}, {Op: chain.Code(code), X: 4, Y: 4},
			}}
			if op.Operands == 2 {
				p.Steps[2].Y = 1
			}
			if op.Name == "div" {
				p.Steps[2] = chain.Step{Op: chain.Code(code), X: 1, Y: 4}
			}
			s := chain.Shape{Dims: [4]int{1, 1, 3, 301}, Strides: [][4]int{{0, 0, 301, 1}, {0, 0, 301, 1}}}
			b.verify(b.chained(p, s, shaders.F32))
			if op.Operands == 1 && op.Name != "log" && op.Name != "sqrt" && op.Name != "rsqrt" { // also on negative numbers
				p = chain.Program{Inputs: 1, Steps: []chain.Step{{Op: chain.Code(code)}}}
				s.Strides = s.Strides[:1]
				b.verify(b.chained(p, s, shaders.F16))
				b.verify(b.chained(p, s, shaders.F32))
			}
		}
	})
}
