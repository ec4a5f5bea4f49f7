package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// shapeOps compute numbers that are known at import: shapes, what exporters derive from them for a Reshape, and the scale of an
// attention.
func shapeOps() map[string]func(c *call) (*onnxTensor, error) {
	all := map[string]func(c *call) (*onnxTensor, error){
		"Shape": (*call).shapeOf, "Gather": (*call).gathered, "Concat": (*call).joined, "Slice": (*call).sliced,
		"Unsqueeze": (*call).listed, "Squeeze": (*call).single, "Cast": (*call).cast, "Sqrt": (*call).root,
	}
	for op, f := range map[string]func(a, b float64) float64{
		"Add": func(a, b float64) float64 { return a + b }, "Sub": func(a, b float64) float64 { return a - b },
		"Mul": func(a, b float64) float64 { return a * b }, "Div": func(a, b float64) float64 { return a / b },
	} {
		all[op] = func(c *call) (*onnxTensor, error) { return c.paired(f) }
	}
	return all
}

// fold evaluates a node with known arguments: lists of integers, or a number; false: it cannot.
func (c *call) fold() (bool, error) {
	f := shapeOps()[c.node.op]
	if f == nil || len(c.node.out) != 1 || len(c.node.in) == 0 {
		return false, nil
	}
	for _, name := range c.node.in {
		t := c.tensors[name]
		known := t != nil && t.values != nil && (whole(t.kind) || len(t.values) == 1)
		if c.node.op != "Shape" && name != "" && !known {
			return false, nil
		}
	}
	t, err := f(c)
	if err != nil {
		return true, err
	}
	t.name = c.node.out[0]
	c.tensors[t.name] = t
	return true, limited(len(t.values))
}

func whole(kind int) bool { return kind == onnxInt32 || kind == onnxInt64 }

// known returns argument n, which fold has checked.
func (c *call) known(n int) (*onnxTensor, error) {
	if n >= len(c.node.in) || c.tensors[c.node.in[n]] == nil {
		return nil, fmt.Errorf("argument %d is missing", n+1)
	}
	return c.tensors[c.node.in[n]], nil
}

func list(kind int, values []float64) *onnxTensor {
	return &onnxTensor{kind: kind, dims: []int{len(values)}, values: values}
}

// part returns the range from, to of a list of n, following ONNX slices: negative values count from the end, and the range is clipped
// to the list.
func part(from, to, n int) (int, int) {
	place := func(at int) int {
		if at < 0 {
			at += n
		}
		return min(max(at, 0), n)
	}
	from, to = place(from), place(to)
	return from, max(from, to)
}

func (c *call) shapeOf() (*onnxTensor, error) {
	if _, err := c.arg(0); err != nil {
		return nil, err
	}
	shape, err := c.shape(0)
	if err != nil {
		return nil, err
	}
	from, to := part(c.attr("start", 0), c.attr("end", len(shape)), len(shape))
	var values []float64
	for _, n := range shape[from:to] {
		values = append(values, float64(n))
	}
	return list(onnxInt64, values), nil
}

// gathered selects numbers from a list; a single index without a shape gives a number.
func (c *call) gathered() (*onnxTensor, error) {
	from, _ := c.known(0)
	at, err := c.known(1)
	if err != nil || len(from.dims) != 1 {
		return nil, errors.Join(err, errors.New("of numbers that are not a list"))
	}
	t := &onnxTensor{kind: from.kind, dims: at.dims}
	for _, x := range at.values {
		i := int(x)
		if i < 0 {
			i += len(from.values)
		}
		if i < 0 || i >= len(from.values) {
			return nil, fmt.Errorf("index %g of %d numbers", x, len(from.values))
		}
		t.values = append(t.values, from.values[i])
	}
	return t, nil
}

func (c *call) joined() (*onnxTensor, error) {
	var values []float64
	for n := range c.node.in {
		t, err := c.known(n)
		if err != nil {
			return nil, err
		}
		if len(t.dims) != 1 {
			return nil, errors.New("of numbers that are not a list")
		}
		values = append(values, t.values...)
	}
	return list(onnxInt64, values), nil
}

// sliced returns part of a list, with step 1.
func (c *call) sliced() (*onnxTensor, error) {
	from, _ := c.known(0)
	var bounds [4][]int
	for n, attr := range []string{"starts", "ends", "axes", "steps"} {
		list, err := c.fixed(n+1, attr)
		if err != nil {
			return nil, err
		}
		bounds[n] = list
	}
	if len(from.dims) != 1 || len(bounds[0]) != 1 || len(bounds[1]) != 1 || len(bounds[3]) > 0 && bounds[3][0] != 1 {
		return nil, errors.New("want one part of a list, in steps of 1")
	}
	lo, hi := part(bounds[0][0], bounds[1][0], len(from.values))
	return list(from.kind, slices.Clone(from.values[lo:hi])), nil
}

// listed turns a number into a list.
func (c *call) listed() (*onnxTensor, error) {
	t, err := c.known(0)
	if err == nil && len(t.values) != 1 {
		err = errors.New("of several numbers")
	}
	if err != nil {
		return nil, err
	}
	return list(t.kind, t.values), nil
}

// single turns a list of one into a number.
func (c *call) single() (*onnxTensor, error) {
	t, err := c.listed()
	if err == nil {
		t.dims = nil
	}
	return t, err
}

func (c *call) cast() (*onnxTensor, error) {
	t, err := c.known(0)
	if err != nil {
		return nil, err
	}
	kind := c.attr("to", t.kind)
	return each(t, kind, func(x float64) float64 { return x }), nil
}

func (c *call) root() (*onnxTensor, error) {
	t, err := c.known(0)
	if err != nil {
		return nil, err
	}
	return each(t, t.kind, math.Sqrt), nil
}

// each computes the numbers of a tensor one by one.
func each(t *onnxTensor, kind int, f func(x float64) float64) *onnxTensor {
	out := &onnxTensor{kind: kind, dims: t.dims}
	for _, x := range t.values {
		out.values = append(out.values, stored(kind, f(x)))
	}
	return out
}

// stored returns a number as the element type stores it.
func stored(kind int, x float64) float64 {
	if whole(kind) {
		return math.Trunc(x)
	}
	return x
}

// paired computes elementwise; a single number is paired with each of the others.
func (c *call) paired(f func(a, b float64) float64) (*onnxTensor, error) {
	a, _ := c.known(0)
	b, err := c.known(1)
	if err != nil {
		return nil, err
	}
	if short := min(len(a.values), len(b.values)); short == 0 || len(a.values) != len(b.values) && short != 1 {
		return nil, fmt.Errorf("%d and %d numbers", len(a.values), len(b.values))
	}
	long := a
	if len(b.values) > len(a.values) || len(a.dims) == 0 {
		long = b
	}
	t := &onnxTensor{kind: a.kind, dims: long.dims}
	for i := range long.values {
		y := b.values[i%len(b.values)]
		if y == 0 && c.node.op == "Div" {
			return nil, errors.New("by 0")
		}
		t.values = append(t.values, stored(t.kind, f(a.values[i%len(a.values)], y)))
	}
	return t, nil
}
