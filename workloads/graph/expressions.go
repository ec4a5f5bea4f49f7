package graph

import (
	"math"
	"slices"
	"strconv"

	"assay/internal/meant"
)

// sum and product parse operators from left to right.
func (p *parser) sum() (int, error) {
	return p.operators(p.product, map[string]string{"+": "add", "-": "sub"})
}

func (p *parser) product() (int, error) {
	return p.operators(p.operand, map[string]string{"*": "mul", "/": "div"})
}

func (p *parser) operators(next func() (int, error), ops map[string]string) (int, error) {
	x, err := next()
	for err == nil && ops[p.peek()] != "" {
		at, op := p.at, p.ops[ops[p.peek()]]
		p.at++
		var y int
		if y, err = next(); err == nil {
			x, err = p.apply(op, at, []int{x, y}, nil)
		}
	}
	return x, err
}

// maxDeep bounds the nesting of expressions.
const maxDeep = 100

func (p *parser) operand() (int, error) {
	if p.deep++; p.deep > maxDeep {
		return 0, p.fail("expressions nest deeper than %d", maxDeep)
	}
	defer func() { p.deep-- }()
	word, at := p.peek(), p.at
	switch {
	case word == "":
		return 0, p.fail("the line ends, want a value")
	case p.take("("):
		i, err := p.sum()
		if err == nil {
			err = p.want(")")
		}
		return i, err
	case p.take("-"):
		i, err := p.operand()
		if err != nil || p.g.Values[i].Number == nil {
			return p.applied(err, p.ops["neg"], at, i)
		}
		return p.number(-*p.g.Values[i].Number)
	case digit(word[0]) || word[0] == '.':
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || math.Abs(x) > math.MaxFloat32 {
			return 0, p.fail("%q is not a number of f32", word)
		}
		p.at++
		return p.number(x)
	case at+1 < len(p.tokens) && p.tokens[at+1].text == "(":
		return p.call(word)
	}
	i, known := p.names[word]
	if !known {
		return 0, p.unknown(word)
	}
	p.at++
	return i, nil
}

func (p *parser) number(x float64) (int, error) { return p.add(Value{Number: &x}) }

func (p *parser) applied(err error, op *Op, at, x int) (int, error) {
	if err != nil {
		return 0, err
	}
	return p.apply(op, at, []int{x}, nil)
}

// call parses an operation: its arguments, then attributes, then for a reshape the shape.
func (p *parser) call(word string) (int, error) {
	op := p.ops[word]
	if op == nil {
		var all []string
		for name := range p.ops {
			all = append(all, name)
		}
		slices.Sort(all)
		return 0, p.fail("no operation %q%s", word, meant.Hint(word, all))
	}
	at := p.at
	p.at += 2
	var args []int
	attrs := Attrs{}
	for _, a := range op.Attrs {
		attrs[a.Name] = a.Default
	}
	var shape []int
	for {
		var err error
		switch {
		case op.view && len(args) == 1:
			shape, err = p.shape()
		case p.at+1 < len(p.tokens) && p.tokens[p.at+1].text == "=":
			err = p.attr(op, attrs)
		default:
			var i int
			i, err = p.sum()
			args = append(args, i)
		}
		if err != nil {
			return 0, err
		}
		if !p.take(",") {
			break
		}
	}
	if err := p.want(")"); err != nil {
		return 0, err
	}
	if op.view {
		return p.reshape(op, at, args, shape)
	}
	return p.apply(op, at, args, attrs)
}

func (p *parser) attr(op *Op, attrs Attrs) error {
	i := slices.IndexFunc(op.Attrs, func(a Attr) bool { return a.Name == p.peek() })
	if i < 0 {
		return p.fail("%s has no %q: it is written %s", op.Name, p.peek(), op.Sign)
	}
	p.at += 2
	x, err := strconv.ParseFloat(p.peek(), 64)
	a := op.Attrs[i]
	if err != nil || !(x >= a.Min && x <= a.Max) || a.Min >= 1 && x != math.Trunc(x) || a.Name == "pad" && x != math.Trunc(x) {
		return p.fail("%s is %q, want a number from %g to %g", a.Name, p.peek(), a.Min, a.Max)
	}
	attrs[a.Name] = x
	p.at++
	return nil
}

func (p *parser) reshape(op *Op, at int, args, shape []int) (int, error) {
	end := p.at
	p.at = at
	if len(args) != 1 || shape == nil {
		return 0, p.fail("reshape is written %s", op.Sign)
	}
	from := p.g.Values[args[0]].Shape
	if Elements(from) != Elements(shape) || p.g.Values[args[0]].Number != nil {
		return 0, p.fail("%s has %d elements, %s has %d", shapeText(from), Elements(from), shapeText(shape), Elements(shape))
	}
	p.at = end
	return p.add(Value{Op: op, Args: args, Shape: shape})
}

// apply adds the operation named by token `at`.
func (p *parser) apply(op *Op, at int, args []int, attrs Attrs) (int, error) {
	end := p.at
	p.at = at
	if len(args) < op.Min || len(args) > op.Max {
		return 0, p.fail("%s of %d arguments: it is written %s", op.Name, len(args), op.Sign)
	}
	var shapes [][]int
	numbers := 0
	for _, a := range args {
		shapes = append(shapes, p.g.Values[a].Shape)
		if p.g.Values[a].Number != nil {
			numbers++
		}
	}
	if numbers > 0 && !op.elementwise() || numbers == len(args) {
		return 0, p.fail("%s of a number: want a value with a shape", op.Name)
	}
	shape, err := shapes[0], error(nil)
	if op.shape != nil {
		shape, err = op.shape(shapes, attrs)
	}
	if err != nil {
		return 0, p.fail("%s: %v", op.Name, err)
	}
	if n := Elements(shape); n > MaxElements {
		return 0, p.fail("%s: a result of %d elements, want at most %d", op.Name, n, MaxElements)
	}
	p.at = end
	return p.add(Value{Op: op, Args: args, Attrs: attrs, Shape: shape})
}
