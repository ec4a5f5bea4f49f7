package graph

import (
	"slices"

	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/chain"
	"assay/shaders/conv"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/norm"
)

// None stands for a missing argument of a kernel.
const None = -1

// Step is one dispatch.
type Step struct {
	Kind   string // what it does: "matmul+bias+gelu"
	Value  int    // the value it computes
	Kernel shaders.Kernel
	Why    string // why this kernel, if it was chosen
	Params any
	Args   []int // a value for each argument, or None
}

// Cost returns the cost of the step's kernel.
func (s *Step) Cost() shaders.Cost { return s.Kernel.Cost(s.Params) }

// lowering turns a graph into steps.
type lowering struct {
	g      *Graph
	choose Chooser
	steps  []Step
	done   []bool
}

// lower lists the steps of a graph in topological order.
func lower(g *Graph, choose Chooser) ([]Step, error) {
	l := &lowering{g: g, choose: choose, done: make([]bool, len(g.Values))}
	for _, o := range g.Outputs {
		if err := l.need(o); err != nil {
			return nil, err
		}
	}
	return l.steps, nil
}

func (l *lowering) need(i int) error {
	v := &l.g.Values[i]
	if v.By >= 0 {
		return l.need(v.By)
	}
	if l.done[i] || v.Op == nil {
		return nil
	}
	l.done[i] = true
	for _, a := range v.Args {
		if err := l.need(a); err != nil {
			return err
		}
	}
	if v.Op.view {
		return nil
	}
	err := error(nil)
	if v.Op.lower != nil {
		err = v.Op.lower(l, i)
	} else {
		err = l.element(i)
	}
	if err != nil {
		return &Error{v.Line, 1, v.kind() + ": " + err.Error()}
	}
	return nil
}

// Memory returns the value whose memory holds value i.
func (g *Graph) Memory(i int) int { return g.memory(i) }

// memory returns the value whose memory holds value i.
func (g *Graph) memory(i int) int {
	for i != None && g.Values[i].Op != nil && g.Values[i].Op.view {
		i = g.Values[i].Args[0]
	}
	return i
}

func (l *lowering) add(i int, k shaders.Kernel, why string, params any, args ...int) error {
	if err := k.Check(params); err != nil {
		return err
	}
	for j := range args {
		args[j] = l.g.memory(args[j])
	}
	l.steps = append(l.steps, Step{l.g.Values[i].kind(), i, k, why, params, args})
	return nil
}

// pick adds the catalog's kernel that suits a call on the device.
func (l *lowering) pick(i int, op string, c shaders.Constants, params any, args ...int) error {
	k, why, err := l.choose(shaders.Pick{Op: op, Type: l.g.Type}, c, params)
	if err != nil {
		return err
	}
	return l.add(i, k, why, params, args...)
}

// element lowers a single elementwise operation or reduction, with a kernel from the catalog if one fits its shapes.
func (l *lowering) element(i int) error {
	v := &l.g.Values[i]
	n := elementwise.ElementwiseParams{N: uint32(Elements(v.Shape))}
	var args []int
	equal := v.Op.elementwise()
	for _, a := range v.Args {
		equal = equal && l.g.Values[a].Number == nil && slices.Equal(l.g.Values[a].Shape, v.Shape)
		args = append(args, a)
	}
	if equal && inCatalog(v.Op.Name) {
		return l.pick(i, v.Op.Name, nil, n, append(args, i)...)
	}
	p, inputs := program(l.g, []int{i})
	over := v.Shape
	if v.Op.reduces() {
		over = l.g.Values[v.Args[0]].Shape
	}
	return l.chained(i, p, over, inputs)
}

// inCatalog reports whether the catalog's operation of that name is the elementwise one.
func inCatalog(name string) bool {
	return slices.Contains([]string{"add", "mul", "relu", "gelu", "gelu_erf", "silu"}, name)
}

func lowerChain(l *lowering, i int) error {
	v := &l.g.Values[i]
	return l.chained(i, *v.chain, v.over, v.Args)
}

// chained adds a generated kernel for a chain over a shape.
func (l *lowering) chained(i int, p chain.Program, over []int, inputs []int) error {
	s := chain.Shape{Dims: four(over)}
	for _, in := range inputs {
		s.Strides = append(s.Strides, strides(l.g.Values[in].Shape, over))
	}
	return l.generated(i, p, s, inputs)
}

func (l *lowering) generated(i int, p chain.Program, s chain.Shape, inputs []int) error {
	k, params, err := chain.New(p, s, l.g.Type, l.g.Values[i].kind())
	if err != nil {
		return err
	}
	return l.add(i, k, "generated: no kernel of Assay covers it", params, append(slices.Clone(inputs), i)...)
}

// optional returns argument n of a value; None if it has fewer.
func (v *Value) optional(n int) int {
	if n < len(v.Args) {
		return v.Args[n]
	}
	return None
}

// has returns 1 for an existing argument.
func has(arg int) int32 {
	if arg == None {
		return 0
	}
	return 1
}

func lowerMatmul(l *lowering, i int) error {
	v := &l.g.Values[i]
	a, b, out := l.g.Values[v.Args[0]].Shape, l.g.Values[v.Args[1]].Shape, v.Shape
	m, n, k := out[len(out)-2], out[len(out)-1], a[len(a)-1]
	if v.Attrs["ta"] != 0 {
		k = a[len(a)-2]
	}
	batch := Elements(out) / (m * n)
	if len(b) == 2 {
		m, batch = m*batch, 1
	}
	bias := v.optional(2)
	c := shaders.Constants{
		gemm.TransposeA: int32(v.Attrs["ta"]), gemm.TransposeB: int32(v.Attrs["tb"]), gemm.HasBias: has(bias), gemm.Activation: int32(v.Attrs["act"]),
	}
	p := gemm.MatmulParams{M: uint32(m), N: uint32(n), K: uint32(k), Batch: uint32(batch)}
	return l.pick(i, "matmul", c, p, v.Args[0], v.Args[1], bias, i)
}

func lowerConv(l *lowering, i int) error {
	v := &l.g.Values[i]
	bias := v.optional(2)
	p := convParams(l.g.Values[v.Args[0]].Shape, l.g.Values[v.Args[1]].Shape, v.Attrs)
	c := shaders.Constants{conv.HasBias: has(bias), conv.Activation: int32(v.Attrs["act"])}
	return l.pick(i, "conv2d", c, p, v.Args[0], v.Args[1], bias, i)
}

func rowsOf(shape []int) (rows, cols uint32) {
	n := shape[len(shape)-1]
	return uint32(Elements(shape) / n), uint32(n)
}

func lowerSoftmax(l *lowering, i int) error {
	v := &l.g.Values[i]
	rows, cols := rowsOf(v.Shape)
	return l.pick(i, "softmax", nil, norm.SoftmaxParams{Rows: rows, Cols: cols}, v.Args[0], i)
}

func lowerLayerNorm(l *lowering, i int) error {
	v := &l.g.Values[i]
	rows, cols := rowsOf(v.Shape)
	p := norm.LayerNormParams{Rows: rows, Cols: cols, Eps: float32(v.Attrs["eps"])}
	return l.pick(i, "layernorm", nil, p, v.Args[0], v.Args[1], v.Args[2], i)
}

func lowerAddLayerNorm(l *lowering, i int) error {
	v := &l.g.Values[i]
	rows, cols := rowsOf(v.Shape)
	p := norm.LayerNormParams{Rows: rows, Cols: cols, Eps: float32(v.Attrs["eps"])}
	return l.pick(i, "add_layernorm", nil, p, v.Args[0], v.Args[1], v.Args[2], v.Args[3], v.Also, i)
}

// lowerRMSNorm copies its input first, because the kernel normalizes in place.
func lowerRMSNorm(l *lowering, i int) error {
	v := &l.g.Values[i]
	rows, cols := rowsOf(v.Shape)
	copied := chain.Shape{Dims: four(v.Shape), Strides: [][4]int{strides(v.Shape, v.Shape)}}
	if err := l.generated(i, chain.Program{Inputs: 1}, copied, v.Args[:1]); err != nil {
		return err
	}
	l.steps[len(l.steps)-1].Kind = "copy"
	return l.pick(i, "rmsnorm", nil, norm.RMSNormParams{Rows: rows, Cols: cols, Eps: float32(v.Attrs["eps"])}, i, v.Args[1])
}

func lowerTranspose(l *lowering, i int) error {
	v := &l.g.Values[i]
	s := strides(l.g.Values[v.Args[0]].Shape, v.Shape)
	s[2], s[3] = s[3], s[2]
	return l.generated(i, chain.Program{Inputs: 1}, chain.Shape{Dims: four(v.Shape), Strides: [][4]int{s}}, v.Args[:1])
}

func lowerSiluMul(l *lowering, i int) error {
	v := &l.g.Values[i]
	return l.pick(i, "silu_mul", nil, elementwise.ElementwiseParams{N: uint32(Elements(v.Shape))}, v.Args[0], v.Args[1], i)
}

func lowerAttention(l *lowering, i int) error {
	v := &l.g.Values[i]
	q, k := l.g.Values[v.Args[0]].Shape, l.g.Values[v.Args[1]].Shape
	n := len(q)
	heads := uint32(Elements(q) / (q[n-1] * q[n-2]))
	mask := v.optional(3)
	p := attention.AttentionParams{Heads: heads, KVHeads: heads, Queries: uint32(q[n-2]), Keys: uint32(k[n-2]), Dim: uint32(q[n-1])}
	c := shaders.Constants{attention.HeadDim: int32(q[n-1]), attention.HasMask: has(mask)}
	return l.pick(i, "attention", c, p, v.Args[0], v.Args[1], v.Args[2], mask, i)
}
