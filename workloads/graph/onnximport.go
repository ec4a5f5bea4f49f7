package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// ImportONNX converts an ONNX model to the text of a graph. Weights become inputs, of which only the shapes matter. Dimensions that
// the model leaves open become sizes; `sizes` gives their values by name, 1 by default. The error names the first node that no
// operation covers.
func ImportONNX(data []byte, sizes map[string]int) (string, error) {
	if len(data) > MaxONNX {
		return "", fmt.Errorf("a model of %d bytes, want at most %d: keep its weights in a separate file", len(data), MaxONNX)
	}
	m, err := readONNX(data)
	if err != nil {
		return "", err
	}
	i := &importer{
		model: m, given: sizes, p: newParser(sizes), kind: onnxFloat, names: map[string]string{}, tensors: map[string]*onnxTensor{},
		sizes: map[string]string{}, used: map[string]bool{},
	}
	if err := i.run(); err != nil {
		return "", err
	}
	return strings.Join(i.lines, "\n") + "\n", nil
}

// importer writes the text of a graph line by line, and parses it as it goes, so the shape of each value is known.
type importer struct {
	model   *onnxModel
	given   map[string]int
	p       *parser
	kind    int // element type of the inputs
	lines   []string
	names   map[string]string      // in the text, by name in the model
	tensors map[string]*onnxTensor // weights and constants without a line so far
	sizes   map[string]string      // in the text, by name of an open dimension
	used    map[string]bool        // names taken in the text
}

// NotCovered is the error of a model with a node that has no equivalent operation.
type NotCovered struct {
	Op, Node string
	Why      string // what is not covered
}

// Error is part of error.
func (e *NotCovered) Error() string {
	text := "node " + e.Node + ": "
	if e.Why == "" {
		return text + e.Op + " is not covered"
	}
	return text + e.Op + ": " + e.Why
}

func (i *importer) run() error {
	i.model.foldGelu()
	for at := range i.model.tensors {
		t := &i.model.tensors[at]
		i.tensors[t.name] = t
	}
	for _, in := range i.model.inputs {
		if i.tensors[in.name] != nil {
			continue // an initializer that is also an input, as in old models
		}
		if in.kind == onnxHalf {
			i.kind = onnxHalf
		}
	}
	for at := range i.model.nodes {
		if err := i.node(&i.model.nodes[at], at); err != nil {
			return err
		}
	}
	var outputs []string
	for _, name := range i.model.outputs {
		at, known := i.p.names[i.names[name]]
		if !known {
			continue
		}
		v := &i.p.g.Values[i.p.g.memory(at)] // a reshaped output shares its argument's memory
		if v.Op != nil && v.Name != "" && !slices.Contains(outputs, v.Name) {
			outputs = append(outputs, v.Name)
		}
	}
	if len(outputs) == 0 {
		return errors.New("no output of the model is computed by its nodes")
	}
	if err := i.write("output " + strings.Join(outputs, ", ")); err != nil {
		return err
	}
	_, err := i.p.finish()
	return err
}

// write adds a line.
func (i *importer) write(line string) error {
	i.lines = append(i.lines, line)
	return i.p.feed(line)
}

// node writes the line for a node.
func (i *importer) node(n *onnxNode, at int) error {
	label := n.name
	if label == "" {
		label = fmt.Sprint(at + 1)
	}
	fail := func(err error) error {
		var covered *NotCovered
		if err == nil || errors.As(err, &covered) {
			return err
		}
		var text *Error
		if errors.As(err, &text) {
			err = errors.New(text.Text)
		}
		return &NotCovered{n.op, label, err.Error()}
	}
	c := &call{importer: i, node: n}
	if n.op == "Constant" {
		return fail(c.constant())
	}
	if known, err := c.fold(); known {
		return fail(err)
	}
	write, covered := onnxOps()[n.op]
	if standard := n.domain == "" || n.domain == "ai.onnx" || n.domain == "com.microsoft"; !covered || !standard {
		return &NotCovered{Op: strings.TrimPrefix(n.domain+"."+n.op, "."), Node: label}
	}
	if len(n.out) == 0 || len(n.in) == 0 {
		return &NotCovered{n.op, label, "it has no input or no output"}
	}
	text, err := write(c)
	if err == nil {
		err = c.result(text)
	}
	return fail(err)
}

// name derives a name for the text from one in the model.
func (i *importer) name(model string) string {
	word := func(r rune) rune {
		if r < 128 && (letter(byte(r)) || digit(byte(r))) {
			return r
		}
		return '_'
	}
	name := strings.Trim(strings.Map(word, model), "_")
	const most = 40
	if len(name) > most {
		name = strings.TrimLeft(name[len(name)-most:], "_")
	}
	if name == "" || digit(name[0]) {
		name = "v" + name
	}
	taken := func(s string) bool {
		return i.used[s] || i.p.ops[s] != nil || slices.Contains([]string{"size", "input", "output"}, s)
	}
	unique := name
	for k := 2; taken(unique); k++ {
		unique = fmt.Sprintf("%s_%d", name, k)
	}
	i.used[unique] = true
	return unique
}

// value returns what represents a value of the model: a name, or a number. Inputs and weights get their line on first use.
func (i *importer) value(model string) (string, error) {
	if name, known := i.names[model]; known {
		return name, nil
	}
	if t := i.tensors[model]; t != nil {
		return i.weight(t)
	}
	for _, in := range i.model.inputs {
		if in.name == model {
			return i.input(&in)
		}
	}
	return "", fmt.Errorf("there is no value %q", model)
}

// floats reports whether kernels support an element type, and how the text writes it.
func floats(kind int) (string, bool) {
	text, is := map[int]string{onnxFloat: "f32", onnxDouble: "f32", onnxHalf: "f16"}[kind]
	return text, is
}

// input writes the line of an input.
func (i *importer) input(in *onnxInput) (string, error) {
	text, is := floats(in.kind)
	if !is || len(in.dims) == 0 {
		return "", fmt.Errorf("the input %q is not of floats, or has no shape", in.name)
	}
	var dims []string
	for d, n := range in.dims {
		if n > 0 {
			dims = append(dims, fmt.Sprint(n))
			continue
		}
		name := in.names[d]
		if name == "" {
			name = fmt.Sprintf("%s_%d", in.name, d)
		}
		size, err := i.size(name)
		if err != nil {
			return "", err
		}
		dims = append(dims, size)
	}
	return i.declare(in.name, text, dims)
}

// size returns the size in the text for an open dimension.
func (i *importer) size(model string) (string, error) {
	if size, known := i.sizes[model]; known {
		return size, nil
	}
	size := i.name(model)
	i.sizes[model] = size
	n := 1
	if given, known := i.given[size]; known {
		n = given
	}
	return size, i.write(fmt.Sprintf("size %s = %d", size, n))
}

// weight returns a number, or writes an input of the same shape.
func (i *importer) weight(t *onnxTensor) (string, error) {
	if len(t.values) == 1 && len(t.dims) <= 1 {
		return number(t.values[0])
	}
	if _, is := floats(t.kind); !is || len(t.dims) == 0 {
		return "", fmt.Errorf("the weight %q is not of floats, or has no shape", t.name)
	}
	var dims []string
	for _, n := range t.dims {
		dims = append(dims, fmt.Sprint(n))
	}
	text, _ := floats(i.kind) // all values have the same type
	return i.declare(t.name, text, dims)
}

func number(x float64) (string, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return "", fmt.Errorf("the number %g", x)
	}
	if x < 0 {
		return fmt.Sprintf("-%g", -x), nil
	}
	return fmt.Sprintf("%g", x), nil
}

func (i *importer) declare(model, kind string, dims []string) (string, error) {
	name := i.name(model)
	i.names[model] = name
	return name, i.write(fmt.Sprintf("%s = input %s [%s]", name, kind, strings.Join(dims, ", ")))
}

// call is a node being written.
type call struct {
	*importer
	node *onnxNode
}

// arg returns what represents an argument; empty if it is omitted.
func (c *call) arg(n int) (string, error) {
	if n >= len(c.node.in) || c.node.in[n] == "" {
		return "", nil
	}
	return c.value(c.node.in[n])
}

// shape returns the shape of an argument.
func (c *call) shape(n int) ([]int, error) {
	name, err := c.arg(n)
	if err != nil {
		return nil, err
	}
	at, known := c.p.names[name]
	if !known {
		return nil, fmt.Errorf("argument %d is a number or missing", n+1)
	}
	return c.p.g.Values[at].Shape, nil
}

// fixed returns the numbers of a constant argument, or of the attribute in older models.
func (c *call) fixed(n int, attr string) ([]int, error) {
	if a, has := c.node.attrs[attr]; has {
		return a.ints, nil
	}
	if n >= len(c.node.in) || c.node.in[n] == "" {
		return nil, nil
	}
	t := c.tensors[c.node.in[n]]
	if t == nil || t.values == nil {
		return nil, fmt.Errorf("%s is computed, want a constant", attr)
	}
	var all []int
	for _, x := range t.values {
		all = append(all, int(x))
	}
	return all, nil
}

// attr returns an integer attribute of the node.
func (c *call) attr(name string, byDefault int) int {
	if a, has := c.node.attrs[name]; has {
		return a.i
	}
	return byDefault
}

// result writes a line for the node's first output, or maps it to an existing name.
func (c *call) result(text string) error {
	if _, named := c.p.names[text]; named {
		c.names[c.node.out[0]] = text // the node passes its argument through
		return nil
	}
	name := c.name(c.node.out[0])
	c.names[c.node.out[0]] = name
	return c.write(name + " = " + text)
}

// temporary writes a line for a value that has no name in the model.
func (c *call) temporary(what, text string) (string, error) {
	name := c.name(c.node.out[0] + "_" + what)
	return name, c.write(name + " = " + text)
}

// constant stores the tensor of a Constant.
func (c *call) constant() error {
	if len(c.node.out) != 1 {
		return errors.New("want one output")
	}
	t := c.node.attrs["value"].t
	if a, has := c.node.attrs["value_float"]; has {
		t = &onnxTensor{kind: onnxFloat, values: []float64{a.f}}
	}
	if a, has := c.node.attrs["value_ints"]; has {
		t = &onnxTensor{kind: onnxInt64, dims: []int{len(a.ints)}}
		for _, x := range a.ints {
			t.values = append(t.values, float64(x))
		}
	}
	if t == nil {
		return errors.New("want a tensor, a float or whole numbers")
	}
	t.name = c.node.out[0]
	c.tensors[t.name] = t
	return nil
}
