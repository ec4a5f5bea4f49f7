package msl

import (
	"slices"
	"strings"
)

// Fixable lists the conditional expressions of a text that have no type in C++, by the token of their ?. Their branches are
// objects in different address spaces, which have no common type.
func (u *Unit) Fixable(t *Text, said string) []int {
	var list []int
	for _, line := range Lines(said) {
		d, ok := ParseDiagnostic(line)
		if !ok || d.File != TextName || !strings.HasPrefix(d.Message, "incompatible operand types") {
			continue
		}
		i := t.find(d.Line, d.Column)
		if _, _, ok := u.branches(i); ok && !u.isFixed(i) {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (u *Unit) isFixed(i int) bool { return strings.Contains(u.tokens[i].after, "copied") }

// Fix rewrites conditional expressions by the token of their ?, as Fixable lists them. Any other number has no effect.
func (u *Unit) Fix(list ...int) {
	for _, i := range list {
		u.fix(i)
	}
}

// fix converts the branches of the conditional expression with its ? at i to values, which have no address space.
func (u *Unit) fix(i int) {
	colon, end, ok := u.branches(i)
	if !ok || u.isFixed(i) {
		return
	}
	u.tokens[i].after += " ::msl::copied("
	u.tokens[colon].before = ")" + u.tokens[colon].before
	u.tokens[colon].after += " ::msl::copied("
	u.tokens[end].before = ")" + u.tokens[end].before
}

// branches finds the colon and the end of the conditional expression with its ? at i.
func (u *Unit) branches(i int) (colon, end int, ok bool) {
	if i < 0 || i >= len(u.tokens) || !u.tokens[i].is("?") {
		return 0, 0, false
	}
	if colon = u.branchEnd(i+1, true); colon == 0 || !u.tokens[colon].is(":") {
		return 0, 0, false
	}
	end = u.branchEnd(colon+1, false)
	return colon, end, end != 0
}

// branchEnd is the token after a branch of a conditional expression: its colon if inner, otherwise the end of the expression.
func (u *Unit) branchEnd(i int, inner bool) int {
	nested := 0
	for i < len(u.tokens) {
		t := &u.tokens[i]
		switch t.text {
		case "?":
			nested++
		case ":":
			if nested == 0 {
				return i
			}
			nested--
		case ",":
			if !inner {
				return i
			}
		case ";", ")", "]", "}":
			return i
		case "<":
			if end := u.angle(i, len(u.tokens)); end > 0 && u.tokens[i-1].identifier() && end < len(u.tokens) && u.callsOrNames(end) {
				i = end
				continue
			}
		}
		i = u.past(i)
	}
	return 0
}

// callsOrNames reports whether template arguments, rather than comparisons, end before token i.
func (u *Unit) callsOrNames(i int) bool {
	return u.tokens[i].is("(") || u.tokens[i].is("::") || u.tokens[i].is("{")
}
