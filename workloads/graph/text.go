package graph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/internal/meant"
	"assay/shaders"
)

// ParseSizes parses replacement sizes: "rows=64, width=256".
func ParseSizes(text string) (map[string]int, error) {
	sizes := map[string]int{}
	if strings.TrimSpace(text) == "" {
		return sizes, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); err != nil || n < 1 || n > MaxElements || name == "" {
			return nil, fmt.Errorf("%q, want NAME=NUMBER with a number from 1 to %d", strings.TrimSpace(part), MaxElements)
		}
		if _, twice := sizes[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		sizes[name] = n
	}
	return sizes, nil
}

// parser parses one line after another.
type parser struct {
	g        *Graph
	ops      map[string]*Op
	names    map[string]int
	sizes    map[string]int
	fixed    map[string]int // sizes given by the caller
	typed    bool
	line     int
	tokens   []token
	at, deep int
	length   int
}

// Parse parses a graph. sizes replaces the sizes of the same name in the text.
//
//	size n = 512
//	x = input f32 [128, n]
//	w = input f32 [n, n]
//	y = gelu(matmul(x, w) * 0.5)
//	output y
//
// A line is a size, a value or the outputs; without outputs, every value that nothing reads is an output.
func Parse(text string, sizes map[string]int) (*Graph, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("a graph of %d bytes, want at most %d", len(text), MaxText)
	}
	p := newParser(sizes)
	for _, line := range strings.Split(text, "\n") {
		if err := p.feed(line); err != nil {
			return nil, err
		}
	}
	return p.finish()
}

func newParser(sizes map[string]int) *parser {
	p := &parser{g: &Graph{}, ops: map[string]*Op{}, names: map[string]int{}, sizes: map[string]int{}, fixed: sizes}
	for _, o := range Ops() {
		p.ops[o.Name] = o
	}
	return p
}

// feed parses the next line.
func (p *parser) feed(line string) error {
	p.line, p.tokens, p.at, p.length = p.line+1, lex(line), 0, len(line)
	if len(p.tokens) == 0 {
		return nil
	}
	return p.statement()
}

func (p *parser) fail(format string, args ...any) error {
	column := p.length + 1
	if p.at < len(p.tokens) {
		column = p.tokens[p.at].at
	}
	return &Error{p.line, column, fmt.Sprintf(format, args...)}
}

// peek returns the next token; empty at the end of the line.
func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].text
	}
	return ""
}

func (p *parser) take(text string) bool {
	if p.peek() != text {
		return false
	}
	p.at++
	return true
}

func (p *parser) want(text string) error {
	if p.take(text) {
		return nil
	}
	if p.peek() == "" {
		return p.fail("the line ends, want %q", text)
	}
	return p.fail("found %q, want %q", p.peek(), text)
}

// name parses a name that is not taken.
func (p *parser) name() (string, error) {
	name := p.peek()
	switch {
	case name == "" || !letter(name[0]):
		return "", p.fail("found %q, want a name", name)
	case slices.Contains([]string{"size", "input", "output"}, name) || p.ops[name] != nil:
		return "", p.fail("%s is reserved and cannot be a name", name)
	}
	if _, known := p.names[name]; known {
		return "", p.fail("there is a %s already", name)
	}
	if _, known := p.sizes[name]; known {
		return "", p.fail("there is a size %s already", name)
	}
	p.at++
	return name, nil
}

func (p *parser) statement() error {
	var err error
	switch {
	case p.take("size"):
		err = p.size()
	case p.take("output"):
		err = p.outputs()
	default:
		err = p.assignment()
	}
	if err == nil && p.peek() != "" {
		err = p.fail("%q after the end of the statement", p.peek())
	}
	return err
}

func (p *parser) size() error {
	name, err := p.name()
	if err == nil {
		err = p.want("=")
	}
	if err != nil {
		return err
	}
	n, err := p.dim()
	if given, fixed := p.fixed[name]; fixed {
		n = given
	}
	if n < 1 && err == nil || n > MaxElements {
		err = p.fail("%d, want 1 to %d", n, MaxElements)
	}
	p.sizes[name] = n
	p.g.Sizes = append(p.g.Sizes, Size{name, n})
	return err
}

func (p *parser) outputs() error {
	for {
		i, known := p.names[p.peek()]
		if !known {
			return p.unknown(p.peek())
		}
		if p.g.Values[i].input() {
			return p.fail("%s is an input", p.peek())
		}
		if !p.g.output(i) {
			p.g.Outputs = append(p.g.Outputs, i)
		}
		p.at++
		if !p.take(",") {
			return nil
		}
	}
}

func (p *parser) unknown(name string) error {
	var all []string
	for known := range p.names {
		all = append(all, known)
	}
	slices.Sort(all)
	return p.fail("there is no %q%s", name, meant.Hint(name, all))
}

func (p *parser) assignment() error {
	name, err := p.name()
	if err == nil {
		err = p.want("=")
	}
	if err != nil {
		return err
	}
	if p.take("input") {
		return p.input(name)
	}
	start := p.at
	i, err := p.sum()
	if err != nil {
		return err
	}
	v := &p.g.Values[i]
	if v.Op == nil || v.Name != "" {
		p.at = start
		return p.fail("%s computes nothing", name)
	}
	v.Name, p.names[name] = name, i
	return nil
}

func (p *parser) input(name string) error {
	t, known := map[string]shaders.Type{"f32": shaders.F32, "f16": shaders.F16}[p.peek()]
	if !known {
		return p.fail("an input of %q, want f32 or f16", p.peek())
	}
	if p.typed && t != p.g.Type {
		return p.fail("an input in %v, but those before are in %v", t, p.g.Type)
	}
	p.g.Type, p.typed = t, true
	p.at++
	shape, err := p.shape()
	if err != nil {
		return err
	}
	p.names[name], err = p.add(Value{Name: name, Shape: shape})
	return err
}

// shape parses dimensions in brackets.
func (p *parser) shape() ([]int, error) {
	if err := p.want("["); err != nil {
		return nil, err
	}
	var shape []int
	for {
		n, err := p.dim()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); len(shape) > MaxDims {
			return nil, p.fail("more than %d dimensions", MaxDims)
		}
		if !p.take(",") {
			break
		}
	}
	if n := Elements(shape); n > MaxElements {
		return nil, p.fail("%d elements, want at most %d", n, MaxElements)
	}
	return shape, p.want("]")
}

// dim parses a product of whole numbers and sizes, from left to right.
func (p *parser) dim() (int, error) {
	n, divide := 1, false
	for {
		word := p.peek()
		part, known := p.sizes[word]
		if !known {
			var err error
			if part, err = strconv.Atoi(word); err != nil {
				return 0, p.fail("found %q, want a whole number or a size", word)
			}
		}
		switch {
		case part < 1 || part > MaxElements:
			return 0, p.fail("%d, want 1 to %d", part, MaxElements)
		case divide && n%part != 0:
			return 0, p.fail("%d cannot be divided by %d", n, part)
		case divide:
			n /= part
		default:
			n = shaders.Product(n, part)
		}
		if n > MaxElements {
			return 0, p.fail("%d, want at most %d", n, MaxElements)
		}
		p.at++
		if divide = p.peek() == "/"; !divide && p.peek() != "*" {
			return n, nil
		}
		p.at++
	}
}

func (p *parser) add(v Value) (int, error) {
	if len(p.g.Values) >= MaxValues {
		return 0, p.fail("more than %d values", MaxValues)
	}
	v.Line, v.Also, v.By = p.line, -1, -1
	p.g.Values = append(p.g.Values, v)
	return len(p.g.Values) - 1, nil
}

// finish chooses the outputs if none are named, and rejects what cannot run.
func (p *parser) finish() (*Graph, error) {
	if len(p.g.Outputs) == 0 {
		for i := range p.g.Values {
			if p.g.Values[i].Op != nil && len(p.g.users(i)) == 0 {
				p.g.Outputs = append(p.g.Outputs, i)
			}
		}
	}
	for name := range p.fixed {
		if _, known := p.sizes[name]; !known {
			return nil, fmt.Errorf("the graph has no size %q; it has %s", name, cmp.Or(strings.Join(slices.Sorted(maps.Keys(p.sizes)), ", "), "none"))
		}
	}
	if len(p.g.Outputs) == 0 {
		return nil, &Error{p.line, 1, "nothing is computed"}
	}
	for _, o := range p.g.Outputs {
		if p.g.Values[o].Op.view {
			return nil, &Error{p.g.Values[o].Line, 1, "an output that is a reshape: name its argument, which is the same memory"}
		}
	}
	return p.g.pruned(), nil
}

// pruned removes what no output needs.
func (g *Graph) pruned() *Graph {
	needed := make([]bool, len(g.Values))
	for _, o := range g.Outputs {
		needed[o] = true
	}
	for i := len(g.Values) - 1; i >= 0; i-- {
		for _, a := range g.Values[i].Args {
			needed[a] = needed[a] || needed[i]
		}
		if !needed[i] {
			g.Values[i].gone = true
		}
	}
	return g
}
