package msl

import (
	"slices"
	"strconv"
	"strings"
)

// evaluate computes an integer constant expression of literals, the program's enumerators and constants, + - * / % << >> |
// and parentheses. values, if not nil, take precedence over the program's.
func (u *Unit) evaluate(s span, values map[string]int64) (int64, bool) {
	e := &evaluator{u: u, i: s.lo, hi: s.hi, values: values}
	v, ok := e.binary(0)
	return v, ok && e.i == s.hi
}

type evaluator struct {
	u      *Unit
	i, hi  int
	depth  int
	values map[string]int64
}

var precedence = [][]string{{"|"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (e *evaluator) token() string {
	if e.i >= e.hi {
		return ""
	}
	return e.u.tokens[e.i].text
}

func (e *evaluator) binary(level int) (int64, bool) {
	if level == len(precedence) {
		return e.unary()
	}
	left, ok := e.binary(level + 1)
	for ok {
		op := e.token()
		if !slices.Contains(precedence[level], op) {
			break
		}
		e.i++
		var right int64
		if right, ok = e.binary(level + 1); ok {
			left, ok = apply(op, left, right)
		}
	}
	return left, ok
}

func apply(op string, a, b int64) (int64, bool) {
	switch op {
	case "|":
		return a | b, true
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "<<", ">>":
		if b < 0 || b > 62 {
			return 0, false
		}
		if op == "<<" {
			return a << b, true
		}
		return a >> b, true
	}
	if b == 0 {
		return 0, false
	}
	if op == "/" {
		return a / b, true
	}
	return a % b, true
}

func (e *evaluator) unary() (int64, bool) {
	if e.depth++; e.depth > 100 {
		return 0, false
	}
	defer func() { e.depth-- }()
	switch text := e.token(); text {
	case "":
		return 0, false
	case "(":
		e.i++
		v, ok := e.binary(0)
		if !ok || e.token() != ")" {
			return 0, false
		}
		e.i++
		return v, true
	case "-", "+":
		e.i++
		v, ok := e.unary()
		if text == "-" {
			v = -v
		}
		return v, ok
	}
	return e.primary()
}

func (e *evaluator) primary() (int64, bool) {
	t := &e.u.tokens[e.i]
	if t.literal() || t.is("true") || t.is("false") {
		e.i++
		return integer(t.text)
	}
	name := ""
	for t.word() || t.is("::") {
		if t.word() {
			name = t.text
		}
		if e.i++; e.i >= e.hi {
			break
		}
		t = &e.u.tokens[e.i]
	}
	if v, ok := e.values[name]; ok {
		return v, true
	}
	v, ok := e.u.values[name]
	return v, ok
}

// integer reads an integer literal with any suffix.
func integer(text string) (int64, bool) {
	switch text {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	v, err := strconv.ParseInt(strings.TrimRight(strings.ReplaceAll(text, "'", ""), "uUlL"), 0, 64)
	return v, err == nil
}
