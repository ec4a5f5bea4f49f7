package cpu

import (
	"slices"

	"assay/shaders"
)

// program says how the C side runs a kernel.
type program struct {
	name string
	op   int32
	elem shaders.Type
	// params puts the kernel's parameters into a command.
	params func(c *command, p any)
}

// programs lists what the engine runs.
func programs() []program {
	all := []program{
		{"copy_f32", opCopy, shaders.F32, func(c *command, p any) { c.n = p.(shaders.CopyParams).N }},
		{"triad_f32", opTriad, shaders.F32, func(c *command, p any) {
			q := p.(shaders.TriadParams)
			c.n, c.s = q.N, q.S
		}},
		{"matmul_f32", opMatmul, shaders.F32, matmulParams},
		{"matmul_f16", opMatmul, shaders.F16, matmulParams},
		{"matmul_i8", opMatmul, shaders.I8, quantMatmulParams},
		{"matmul_i4", opMatmul, shaders.I4, quantMatmulParams},
		{"quantise_i8", opQuantise, shaders.I8, quantParams},
		{"quantise_i4", opQuantise, shaders.I4, quantParams},
		{"dequantise_i8", opDequantise, shaders.I8, quantParams},
		{"dequantise_i4", opDequantise, shaders.I4, quantParams},
		{"add_bias_f32", opAddBias, shaders.F32, biasParams},
		{"add_bias_f16", opAddBias, shaders.F16, biasParams},
	}
	maps := []struct {
		name string
		op   int32
	}{
		{"add", opAdd},
		{"mul", opMul},
		{"relu", opRelu},
		{"gelu", opGelu},
		{"add_relu", opAddRelu},
		{"mul_relu", opMulRelu},
		{"affine", opAffine},
	}
	for _, m := range maps {
		for _, t := range []shaders.Type{shaders.F32, shaders.F16} {
			all = append(all, program{m.name + "_" + t.String(), m.op, t, elementwiseParams})
		}
	}
	return all
}

func elementwiseParams(c *command, p any) { c.n = p.(shaders.ElementwiseParams).N }

func matmulParams(c *command, p any) {
	q := p.(shaders.MatmulParams)
	c.m, c.n, c.k = q.M, q.N, q.K
}

func quantMatmulParams(c *command, p any) {
	q := p.(shaders.QuantMatmulParams)
	c.m, c.n, c.k, c.block = q.M, q.N, q.K, q.Block
}

func quantParams(c *command, p any) {
	q := p.(shaders.QuantParams)
	c.m, c.n, c.block = q.Rows, q.Cols, q.Block
}

func biasParams(c *command, p any) {
	q := p.(shaders.BiasParams)
	c.m, c.n = q.Rows, q.Cols
}

// findProgram finds the C code for k, which must be the kernel of that name in shaders and no other.
func findProgram(k *shaders.Kernel) (program, bool) {
	list := programs()
	i := slices.IndexFunc(list, func(p program) bool { return p.name == k.Name })
	known, ok := shaders.Find(k.Name)
	if i < 0 || !ok || known.File != k.File || len(known.Args) != len(k.Args) || known.Params != k.Params {
		return program{}, false
	}
	return list[i], true
}

// kernel is a shaders.Kernel bound to its program.
type kernel struct {
	spec      shaders.Kernel
	constants shaders.Constants
	program   program
	engine    *engine
}

// Spec is the kernel's description.
func (k *kernel) Spec() *shaders.Kernel { return &k.spec }

// Constants are those the kernel was made with; the map must not be changed.
func (k *kernel) Constants() shaders.Constants { return k.constants }

// command makes the kernel's command, without its arguments.
func (k *kernel) command(params any) command {
	c := command{
		op: k.program.op, elem: int32(k.program.elem),
		transposeB: k.constants[shaders.TransposeB],
		activation: k.constants[shaders.Activation],
		symmetric:  k.constants[shaders.Symmetric],
	}
	k.program.params(&c, params)
	return c
}
