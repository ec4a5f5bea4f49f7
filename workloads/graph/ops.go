package graph

import (
	"errors"
	"fmt"
	"slices"

	"assay/shaders/attention"
	"assay/shaders/chain"
	"assay/shaders/conv"
)

// Op is an operation available in graphs.
type Op struct {
	Name     string
	Sign     string // how it is written
	About    string
	Min, Max int // number of arguments
	Attrs    []Attr
	// shape returns the shape of the result; nil: that of the first argument.
	shape func(shapes [][]int, a Attrs) ([]int, error)
	// eval computes it in float64; nil for elementwise operations and reductions, which code and reduce define.
	eval   func(e *evaluation, v *Value, args []tensor) tensor
	lower  func(l *lowering, i int) error
	code   int // for an elementwise operation; −1: it is not one
	reduce chain.Reduction
	view   bool // the result shares its argument's memory
}

// Attr is a named number passed to an operation.
type Attr struct {
	Name              string
	Default, Min, Max float64
}

func (o *Op) elementwise() bool { return o.code >= 0 }

func (o *Op) reduces() bool { return o.reduce != chain.Each }

// Ops lists the operations available in graphs.
func Ops() []*Op {
	var all []*Op
	for code, c := range chain.Operations() {
		sign := c.Name + "(x)"
		if c.Operands == 2 {
			sign = c.Name + "(x, y)"
		}
		all = append(all, &Op{Name: c.Name, Sign: sign, About: c.About, Min: c.Operands, Max: c.Operands, shape: broadcast, code: code})
	}
	for _, r := range []struct {
		name   string
		reduce chain.Reduction
	}{{"sum", chain.Sum}, {"mean", chain.Mean}, {"largest", chain.Largest}} {
		all = append(all, &Op{
			Name: r.name, Sign: r.name + "(x)", About: "the " + r.name + " along the last dimension, which is kept as 1", Min: 1, Max: 1,
			shape: reduced, code: -1, reduce: r.reduce,
		})
	}
	return append(all, kernelOps()...)
}

// kernelOps lists the operations with dedicated kernels.
func kernelOps() []*Op {
	eps := []Attr{{"eps", 1e-5, 0, 1}}
	return []*Op{
		{Name: "matmul", Sign: "matmul(a, b)", About: "a[…, m, k] · b[k, n], or of batches b[…, k, n]", Min: 2, Max: 2, shape: matmulShape, eval: evalMatmul, lower: lowerMatmul, code: -1},
		{
			Name: "conv2d", Sign: "conv2d(x, filters, stride=1, pad=0)", About: "convolution of x[n, c, h, w] with filters[o, c, s, s]", Min: 2, Max: 2,
			Attrs: []Attr{{"stride", 1, 1, conv.MaxStride}, {"pad", 0, 0, conv.MaxSide - 1}}, shape: convShape, eval: evalConv, lower: lowerConv, code: -1,
		},
		{Name: "softmax", Sign: "softmax(x)", About: "along the last dimension", Min: 1, Max: 1, eval: evalSoftmax, lower: lowerSoftmax, code: -1},
		{Name: "layernorm", Sign: "layernorm(x, weight, bias, eps=1e-5)", About: "along the last dimension", Min: 3, Max: 3, Attrs: eps, shape: normShape, eval: evalLayerNorm, lower: lowerLayerNorm, code: -1},
		{Name: "rmsnorm", Sign: "rmsnorm(x, weight, eps=1e-5)", About: "along the last dimension", Min: 2, Max: 2, Attrs: eps, shape: normShape, eval: evalRMSNorm, lower: lowerRMSNorm, code: -1},
		{Name: "transpose", Sign: "transpose(x)", About: "the last two dimensions swapped", Min: 1, Max: 1, shape: transposed, eval: evalTranspose, lower: lowerTranspose, code: -1},
		{Name: "reshape", Sign: "reshape(x, [a, b])", About: "the same elements in another shape", Min: 1, Max: 1, eval: evalReshape, code: -1, view: true},
	}
}

// hiddenOps lists operations that passes introduce.
func hiddenOps() map[string]*Op {
	return map[string]*Op{
		"attention":     {Name: "attention", lower: lowerAttention, code: -1},
		"silu_mul":      {Name: "silu_mul", lower: lowerSiluMul, code: -1},
		"add_layernorm": {Name: "add_layernorm", lower: lowerAddLayerNorm, code: -1},
		"chain":         {Name: "chain", lower: lowerChain, code: -1},
	}
}

// broadcast returns the shape of elementwise operations, as in NumPy: dimensions are matched from the last one on, and dimensions of 1
// match any.
func broadcast(shapes [][]int, _ Attrs) ([]int, error) {
	var out []int
	for _, s := range shapes {
		if len(s) > len(out) {
			out = append(slices.Repeat([]int{1}, len(s)-len(out)), out...)
		}
		for i := range s {
			at := len(out) - len(s) + i
			switch {
			case out[at] == 1:
				out[at] = s[i]
			case s[i] != 1 && s[i] != out[at]:
				return nil, fmt.Errorf("shapes %s and %s do not match", shapeText(shapes[0]), shapeText(s))
			}
		}
	}
	return out, nil
}

func reduced(shapes [][]int, _ Attrs) ([]int, error) {
	if len(shapes[0]) == 0 {
		return nil, errors.New("a number has no dimension to go along")
	}
	out := slices.Clone(shapes[0])
	out[len(out)-1] = 1
	return out, nil
}

// matmulShape allows any number of leading dimensions in a if b is a matrix; otherwise both must have the same ones.
func matmulShape(s [][]int, _ Attrs) ([]int, error) {
	a, b := s[0], s[1]
	if len(a) < 2 || len(b) < 2 {
		return nil, fmt.Errorf("%s · %s: want two dimensions at least", shapeText(a), shapeText(b))
	}
	if a[len(a)-1] != b[len(b)-2] {
		return nil, fmt.Errorf("%s · %s: %d columns and %d rows", shapeText(a), shapeText(b), a[len(a)-1], b[len(b)-2])
	}
	if len(b) > 2 && !slices.Equal(a[:len(a)-2], b[:len(b)-2]) {
		return nil, fmt.Errorf("%s · %s: the leading dimensions differ", shapeText(a), shapeText(b))
	}
	return append(slices.Clone(a[:len(a)-1]), b[len(b)-1]), nil
}

func convShape(s [][]int, a Attrs) ([]int, error) {
	x, f := s[0], s[1]
	if len(x) != 4 || len(f) != 4 {
		return nil, fmt.Errorf("images %s and filters %s: want four dimensions each", shapeText(x), shapeText(f))
	}
	if x[1] != f[1] || f[2] != f[3] || f[2] > conv.MaxSide {
		return nil, fmt.Errorf("images %s and filters %s: want as many channels, and square filters of at most %d", shapeText(x), shapeText(f), conv.MaxSide)
	}
	p := convParams(x, f, a)
	if int(p.Pad) >= f[2] || min(x[2], x[3])+2*int(p.Pad) < f[2] {
		return nil, fmt.Errorf("filters of %d do not fit images of %d × %d with a padding of %d", f[2], x[2], x[3], p.Pad)
	}
	return []int{x[0], f[0], p.Rows(), p.Cols()}, nil
}

func convParams(x, f []int, a Attrs) conv.ConvParams {
	return conv.ConvParams{
		N: uint32(x[0]), C: uint32(x[1]), H: uint32(x[2]), W: uint32(x[3]), O: uint32(f[0]), Side: uint32(f[2]),
		Stride: uint32(a["stride"]), Pad: uint32(a["pad"]),
	}
}

func normShape(s [][]int, _ Attrs) ([]int, error) {
	if len(s[0]) == 0 {
		return nil, errors.New("a number has no rows")
	}
	for _, w := range s[1:] {
		if !slices.Equal(w, s[0][len(s[0])-1:]) {
			return nil, fmt.Errorf("a weight of %s for rows of %d", shapeText(w), s[0][len(s[0])-1])
		}
	}
	return s[0], nil
}

func transposed(s [][]int, _ Attrs) ([]int, error) {
	if len(s[0]) < 2 {
		return nil, fmt.Errorf("%s: want two dimensions at least", shapeText(s[0]))
	}
	out := slices.Clone(s[0])
	n := len(out)
	out[n-1], out[n-2] = out[n-2], out[n-1]
	return out, nil
}

// maxHead is the longest head that the attention kernels support.
const maxHead = attention.MaxDim
