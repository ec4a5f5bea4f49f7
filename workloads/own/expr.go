package own

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits on expressions, which may be untrusted.
const (
	maxExpression = 500 // bytes
	maxDepth      = 40  // of parentheses and signs
)

// Expr is an arithmetic expression of named sizes: + - * / ( ), ceil, floor, min and max.
type Expr struct {
	Text string
	eval func(vars map[string]float64) (float64, error)
}

// ParseExpr reads an expression.
func ParseExpr(text string) (Expr, error) {
	if len(text) > maxExpression {
		return Expr{}, fmt.Errorf("an expression of %d bytes, want at most %d", len(text), maxExpression)
	}
	p := exprParser{text: text}
	e, err := p.sum()
	if err == nil && p.peek() != 0 {
		err = p.unexpected()
	}
	if err != nil {
		return Expr{}, fmt.Errorf("%q: %w", text, err)
	}
	return Expr{Text: text, eval: e}, nil
}

// Value is the expression's value.
func (e Expr) Value(vars map[string]float64) (float64, error) {
	if e.eval == nil {
		return 0, fmt.Errorf("there is no expression")
	}
	v, err := e.eval(vars)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", e.Text, err)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number", e.Text)
	}
	return v, nil
}

// Whole returns the expression's value, which must be a whole number within bounds.
func (e Expr) Whole(vars map[string]float64, least, most int64) (int64, error) {
	v, err := e.Value(vars)
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) {
		return 0, fmt.Errorf("%q is %g, want a whole number (ceil and floor round)", e.Text, v)
	}
	if v < float64(least) || v > float64(most) {
		return 0, fmt.Errorf("%q is %g, want %d to %d", e.Text, v, least, most)
	}
	return int64(v), nil
}

type exprEval = func(vars map[string]float64) (float64, error)

type exprParser struct {
	text      string
	at, depth int
}

// peek skips white space and returns the next byte; 0 at the end.
func (p *exprParser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *exprParser) unexpected() error {
	if p.peek() == 0 {
		return fmt.Errorf("it ends too early")
	}
	return fmt.Errorf("unexpected %q at column %d", []rune(p.text[p.at:])[0], p.at+1)
}

func (p *exprParser) sum() (exprEval, error) { return p.chain("+-", p.product) }

func (p *exprParser) product() (exprEval, error) { return p.chain("*/", p.unary) }

// chain reads operands separated by operators of one precedence.
func (p *exprParser) chain(operators string, operand func() (exprEval, error)) (exprEval, error) {
	left, err := operand()
	for err == nil {
		op := p.peek()
		if op == 0 || strings.IndexByte(operators, op) < 0 {
			return left, nil
		}
		p.at++
		var right exprEval
		if right, err = operand(); err == nil {
			left = combine(op, left, right)
		}
	}
	return nil, err
}

func combine(op byte, left, right exprEval) exprEval {
	return func(vars map[string]float64) (float64, error) {
		a, err := left(vars)
		if err != nil {
			return 0, err
		}
		b, err := right(vars)
		if err != nil {
			return 0, err
		}
		switch op {
		case '+':
			return a + b, nil
		case '-':
			return a - b, nil
		case '*':
			return a * b, nil
		}
		if b == 0 {
			return 0, fmt.Errorf("division by zero")
		}
		return a / b, nil
	}
}

func (p *exprParser) unary() (exprEval, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels of parentheses and signs", maxDepth)
	}
	defer func() { p.depth-- }()
	c := p.peek()
	switch {
	case c == '-':
		p.at++
		e, err := p.unary()
		return func(vars map[string]float64) (float64, error) { v, err := e(vars); return -v, err }, err
	case c == '(':
		p.at++
		e, err := p.sum()
		return e, p.closed(err)
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case isLetter(c):
		return p.name()
	}
	return nil, p.unexpected()
}

// closed reads a closing parenthesis.
func (p *exprParser) closed(err error) error {
	if err != nil {
		return err
	}
	if p.peek() != ')' {
		return p.unexpected()
	}
	p.at++
	return nil
}

func isLetter(c byte) bool { return c|32 >= 'a' && c|32 <= 'z' || c == '_' }

func (p *exprParser) number() (exprEval, error) {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		sign := (c == '+' || c == '-') && p.text[p.at-1]|32 == 'e' && p.at > start
		if !sign && c != '.' && !isLetter(c) && (c < '0' || c > '9') {
			break
		}
		p.at++
	}
	text := p.text[start:p.at]
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return func(map[string]float64) (float64, error) { return v, nil }, nil
}

// name reads a size, or a function and its arguments.
func (p *exprParser) name() (exprEval, error) {
	start := p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || p.text[p.at] >= '0' && p.text[p.at] <= '9') {
		p.at++
	}
	name := p.text[start:p.at]
	if p.peek() == '(' {
		return p.call(name)
	}
	return func(vars map[string]float64) (float64, error) {
		v, ok := vars[name]
		if !ok {
			return 0, fmt.Errorf("there is no size %q", name)
		}
		return v, nil
	}, nil
}

// exprFunction is a function of expressions: of one argument, or of one or more.
type exprFunction struct {
	one  func(float64) float64
	many func(a, b float64) float64
}

func exprFunctions() map[string]exprFunction {
	return map[string]exprFunction{
		"ceil":  {one: math.Ceil},
		"floor": {one: math.Floor},
		"min":   {many: math.Min},
		"max":   {many: math.Max},
	}
}

func (p *exprParser) call(name string) (exprEval, error) {
	f, ok := exprFunctions()[name]
	if !ok {
		return nil, fmt.Errorf("there is no function %q: want ceil, floor, min or max", name)
	}
	var args []exprEval
	for {
		p.at++ // the parenthesis, or a comma
		e, err := p.sum()
		if err != nil {
			return nil, err
		}
		if args = append(args, e); p.peek() != ',' {
			break
		}
	}
	if err := p.closed(nil); err != nil {
		return nil, err
	}
	if f.one != nil && len(args) != 1 {
		return nil, fmt.Errorf("%s takes one argument, not %d", name, len(args))
	}
	return f.apply(args), nil
}

func (f exprFunction) apply(args []exprEval) exprEval {
	return func(vars map[string]float64) (float64, error) {
		result, err := args[0](vars)
		if err != nil || f.one != nil {
			if err == nil {
				result = f.one(result)
			}
			return result, err
		}
		for _, a := range args[1:] {
			v, err := a(vars)
			if err != nil {
				return 0, err
			}
			result = f.many(result, v)
		}
		return result, nil
	}
}
