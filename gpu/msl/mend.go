package msl

import "strings"

// mendAll mends the conditional expressions that clang found no type for, and returns their tokens as numbers.
func (u *unit) mendAll(o *output, text string) string {
	var b strings.Builder
	seen := map[int]bool{}
	for _, line := range lines(text) {
		d, ok := parseDiagnostic(line)
		if !ok || d.File != translatedName || !strings.HasPrefix(d.Message, "incompatible operand types") {
			continue
		}
		if i := o.find(d.Line, d.Column); i >= 0 && !seen[i] && u.mend(i) {
			seen[i] = true
			b.WriteString(itoa(i) + " ")
		}
	}
	return b.String()
}

// mend makes the branches of the conditional expression with its ? at i values, of no address space.
func (u *unit) mend(i int) bool {
	if i < 0 || i >= len(u.tokens) || !u.tokens[i].is("?") || strings.Contains(u.tokens[i].after, "copied") {
		return false
	}
	colon := u.branchEnd(i+1, true)
	if colon == 0 || !u.tokens[colon].is(":") {
		return false
	}
	end := u.branchEnd(colon+1, false)
	if end == 0 {
		return false
	}
	u.tokens[i].after += " ::msl::copied("
	u.tokens[colon].before = ")" + u.tokens[colon].before
	u.tokens[colon].after += " ::msl::copied("
	u.tokens[end].before = ")" + u.tokens[end].before
	return true
}

// branchEnd is the token behind a branch of a conditional expression: its colon if inner, else what ends the expression.
func (u *unit) branchEnd(i int, inner bool) int {
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
func (u *unit) callsOrNames(i int) bool {
	return u.tokens[i].is("(") || u.tokens[i].is("::") || u.tokens[i].is("{")
}
