package throughput

import (
	"fmt"
	"slices"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/elementwise"
	shgemm "assay/shaders/gemm"
	"assay/workloads/bench"
)

// pattern is a chain of operations with a fused form, as data: both forms read the same operands.
type pattern struct {
	name string
	*shape
	typical bool // it represents all patterns of its shape in live tuning
	fused   step
	steps   []step // the separate form
}

// shape is what patterns of one kind have in common. Its functions take the sweep's size.
type shape struct {
	axis     string // what the sweep varies
	operands []operand
	result   func(n int) int // elements of each step's result
	rotated  func(n int) int // minimum elements in a set of operands
}

// operand is an input of a pattern.
type operand struct {
	label    string
	elements func(n int) int
}

// step is one dispatch: an operation, its parameters at a size, and the labels of its operands.
type step struct {
	op        string
	constants shaders.Constants
	params    func(n int) any
	takes     []string
}

// Arguments of a step other than operands.
const (
	carried = "the result of the previous step"
	nothing = "" // an argument that does not exist
)

func (s step) uses(label string) bool { return slices.Contains(s.takes, label) }

func side(n int) int   { return n }
func square(n int) int { return n * n }

// layers are patterns that start with an n×n×n product, vectors those of elementwise operations.
func layers() *shape {
	return &shape{
		axis: "size", operands: []operand{{"a", square}, {"b", square}, {"bias", side}}, result: square,
		rotated: func(n int) int { return 2 * n * n },
	}
}

func vectors() *shape {
	return &shape{
		axis: "elements", operands: []operand{{"x", side}, {"y", side}, {"z", side}}, result: side,
		rotated: func(n int) int { return 4 * n },
	}
}

func cube(n int) any { return shgemm.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n), Batch: 1} }

// each returns the parameters of an elementwise operation on n elements.
func each(elements func(n int) int) func(n int) any {
	return func(n int) any { return elementwise.ElementwiseParams{N: uint32(elements(n))} }
}

// layer is a pattern of a GEMM and its epilogue, fused by function constants of the GEMM.
func layer(s *shape, name string, c shaders.Constants, after ...step) pattern {
	takes := []string{"a", "b", nothing}
	fused := step{"matmul", c, cube, slices.Clone(takes)}
	if c[shgemm.HasBias] != 0 {
		fused.takes[2] = "bias"
	}
	return pattern{name: name, shape: s, fused: fused, steps: append([]step{{"matmul", nil, cube, takes}}, after...)}
}

// vector is an elementwise pattern.
func vector(s *shape, name string, fused step, steps ...step) pattern {
	return pattern{name: name, shape: s, fused: fused, steps: steps}
}

func typical(p pattern) pattern {
	p.typical = true
	return p
}

// on is a step of an elementwise pattern.
func on(op string, takes ...string) step { return step{op, nil, each(side), takes} }

func patterns() []pattern {
	mat, vec := layers(), vectors()
	bias := step{"add_bias", nil, func(n int) any { return elementwise.BiasParams{Rows: uint32(n), Cols: uint32(n)} }, []string{carried, "bias"}}
	activation := func(name string) step { return step{name, nil, each(square), []string{carried}} }

	all := []pattern{layer(mat, "matmul+bias", shaders.Constants{shgemm.HasBias: 1}, bias)}
	for i, a := range shaders.Activations()[1:] {
		all = append(all, layer(mat, "matmul+"+a.Name, shaders.Constants{shgemm.Activation: int32(i + 1)}, activation(a.Name)))
	}
	biasRelu := shaders.Constants{shgemm.HasBias: 1, shgemm.Activation: shaders.ActRelu}
	return append(all,
		typical(layer(mat, "matmul+bias+relu", biasRelu, bias, activation("relu"))),
		typical(vector(vec, "add+relu", on("add_relu", "x", "y"), on("add", "x", "y"), on("relu", carried))),
		vector(vec, "mul+relu", on("mul_relu", "x", "y"), on("mul", "x", "y"), on("relu", carried)),
		vector(vec, "affine", on("affine", "x", "y", "z"), on("mul", "x", "y"), on("add", carried, "z")),
	)
}

// build makes both forms of a pattern of size n, on the same operands.
func (p *pattern) build(s *bench.Scope, t shaders.Type, n int) (separate, fused []gpu.Launch, err error) {
	buffers := map[string]gpu.Buffer{}
	for _, o := range p.operands {
		if p.fused.uses(o.label) {
			if buffers[o.label], err = s.Random(t, o.elements(n), o.label); err != nil {
				return nil, nil, err
			}
		}
	}
	outs, err := outputs(s, t, p.result(n), 1+len(p.steps))
	if err != nil {
		return nil, nil, err
	}
	if fused, err = chain(s, t, n, []step{p.fused}, buffers, outs[:1]); err != nil {
		return nil, nil, err
	}
	separate, err = chain(s, t, n, p.steps, buffers, outs[1:])
	return separate, fused, err
}

// chain makes the launches of steps; step i writes output i.
func chain(s *bench.Scope, t shaders.Type, n int, steps []step, operands map[string]gpu.Buffer, outs []gpu.Buffer) ([]gpu.Launch, error) {
	var launches []gpu.Launch
	for i, step := range steps {
		args := make([]gpu.Buffer, len(step.takes), len(step.takes)+1)
		for j, label := range step.takes {
			if label == carried {
				args[j] = outs[i-1]
			} else {
				args[j] = operands[label] // nil for nothing
			}
		}
		l, err := s.Dispatch(shaders.Pick{Op: step.op, Type: t}, step.constants, step.params(n), append(args, outs[i])...)
		if err != nil {
			return nil, err
		}
		launches = append(launches, l)
	}
	return launches, nil
}

// outputs makes count buffers of n elements.
func outputs(s *bench.Scope, t shaders.Type, n, count int) ([]gpu.Buffer, error) {
	var out []gpu.Buffer
	for i := range count {
		b, err := s.Buffer(t, n, fmt.Sprintf("output %d", i))
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
