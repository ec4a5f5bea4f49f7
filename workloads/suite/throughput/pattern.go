package throughput

import (
	"slices"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/elementwise"
	shgemm "assay/shaders/gemm"
	"assay/workloads/bench"
)

// pattern is a chain of operations with a fused form, as data: both forms read the same inputs.
type pattern struct {
	name    string
	axis    string // what the sweep varies
	typical bool   // it represents all patterns of its axis in live tuning
	// whole returns the size nearest to n that divides evenly among the parts of the pattern; nil: any does.
	whole func(n int) int
	// fused and separate are the two forms at one size of the sweep, in a number format.
	fused, separate func(t shaders.Type, n int) []bench.Step
}

// Labels of operands that most patterns have.
const (
	product = "product" // of a matmul
	result  = "result"  // of the whole pattern
)

// one is the fused form of most patterns: a single dispatch.
func one(step func(t shaders.Type, n int) bench.Step) func(t shaders.Type, n int) []bench.Step {
	return func(t shaders.Type, n int) []bench.Step { return []bench.Step{step(t, n)} }
}

// matmul is out = act(a · b + bias), with the bias and the activation if the constants select them.
func matmul(t shaders.Type, m, n, k int, c shaders.Constants, a, b, bias, out string) bench.Step {
	p := shgemm.MatmulParams{M: uint32(m), N: uint32(n), K: uint32(k), Batch: 1}
	return bench.Step{Pick: shaders.Pick{Op: "matmul", Type: t}, Constants: c, Params: p, Args: []string{a, b, bias, out}}
}

// each is an operation on n elements.
func each(op string, t shaders.Type, n int, args ...string) bench.Step {
	return bench.Step{Pick: shaders.Pick{Op: op, Type: t}, Params: elementwise.ElementwiseParams{N: uint32(n)}, Args: args}
}

// bias adds a bias to the rows of a matrix.
func addBias(t shaders.Type, rows, cols int, x, bias, out string) bench.Step {
	p := elementwise.BiasParams{Rows: uint32(rows), Cols: uint32(cols)}
	return bench.Step{Pick: shaders.Pick{Op: "add_bias", Type: t}, Params: p, Args: []string{x, bias, out}}
}

// layer is a GEMM of two n×n matrices and what follows, fused through function constants of the GEMM.
func layer(name string, c shaders.Constants, after func(t shaders.Type, n int) []bench.Step) pattern {
	withBias := bench.None
	if c[shgemm.HasBias] != 0 {
		withBias = "bias"
	}
	return pattern{
		name: name, axis: "size",
		fused: one(func(t shaders.Type, n int) bench.Step { return matmul(t, n, n, n, c, "a", "b", withBias, result) }),
		separate: func(t shaders.Type, n int) []bench.Step {
			return append([]bench.Step{matmul(t, n, n, n, nil, "a", "b", bench.None, product)}, after(t, n)...)
		},
	}
}

// layers are the patterns of layer.
func layers() []pattern {
	all := []pattern{layer("matmul+bias", shaders.Constants{shgemm.HasBias: 1}, func(t shaders.Type, n int) []bench.Step {
		return []bench.Step{addBias(t, n, n, product, "bias", result)}
	})}
	for i, a := range shaders.Activations()[1:] {
		all = append(all, layer("matmul+"+a.Name, shaders.Constants{shgemm.Activation: int32(i + 1)}, func(t shaders.Type, n int) []bench.Step {
			return []bench.Step{each(a.Name, t, n*n, product, result)}
		}))
	}
	biasRelu := layer("matmul+bias+relu", shaders.Constants{shgemm.HasBias: 1, shgemm.Activation: shaders.ActRelu},
		func(t shaders.Type, n int) []bench.Step {
			return []bench.Step{addBias(t, n, n, product, "bias", "biased"), each("relu", t, n*n, "biased", result)}
		})
	biasRelu.typical = true
	return append(all, biasRelu)
}

// vectors are the elementwise patterns.
func vectors() []pattern {
	pair := func(name, fused, first, second string) pattern {
		return pattern{
			name: name, axis: "elements",
			fused: one(func(t shaders.Type, n int) bench.Step { return each(fused, t, n, "x", "y", result) }),
			separate: func(t shaders.Type, n int) []bench.Step {
				return []bench.Step{each(first, t, n, "x", "y", "between"), each(second, t, n, "between", result)}
			},
		}
	}
	affine := pattern{
		name: "affine", axis: "elements",
		fused: one(func(t shaders.Type, n int) bench.Step { return each("affine", t, n, "x", "y", "z", result) }),
		separate: func(t shaders.Type, n int) []bench.Step {
			return []bench.Step{each("mul", t, n, "x", "y", "between"), each("add", t, n, "between", "z", result)}
		},
	}
	all := []pattern{pair("add+relu", "add_relu", "add", "relu"), pair("mul+relu", "mul_relu", "mul", "relu"), affine}
	all[0].typical = true
	return all
}

func patterns() []pattern { return slices.Concat(layers(), blocks(), vectors(), arrayPatterns()) }

// patternOps are the operations of all patterns.
func patternOps() []string {
	var steps []bench.Step
	for _, p := range patterns() {
		n := 64
		if p.whole != nil {
			n = p.whole(n)
		}
		steps = slices.Concat(steps, p.separate(shaders.F32, n), p.fused(shaders.F32, n))
	}
	return bench.StepOps(steps)
}

// build creates both forms of a pattern of size n, on the same buffers.
func (p *pattern) build(s *bench.Scope, t shaders.Type, n int) (separate, fused []gpu.Launch, err error) {
	s.For("fused")
	if fused, err = s.Chain(p.fused(t, n), bench.Buffers{}); err != nil {
		return nil, nil, err
	}
	s.For("separate")
	separate, err = s.Chain(p.separate(t, n), bench.Buffers{})
	return separate, fused, err
}
