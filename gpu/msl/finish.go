package msl

import (
	"slices"
	"strings"
)

// finish makes the edits that depend on the whole program.
func (u *Unit) finish() {
	for i := range u.tokens {
		t := &u.tokens[i]
		switch {
		case t.is("[") && !t.drop:
			u.subscript(i)
		case t.drop || !t.identifier():
		case t.is("coherent"):
			t.drop = true
			if u.text(i+1) == "(" {
				u.dropSpan(i+1, u.past(i+1))
			}
		case t.is("is_function_constant_defined"):
			u.constantDefined(i)
		}
	}
}

// constantDefined translates is_function_constant_defined(name) to a query by the constant's index.
func (u *Unit) constantDefined(i int) {
	if u.text(i+1) != "(" || u.tokens[i+1].match != i+3 {
		return
	}
	name := u.text(i + 2)
	k := slices.IndexFunc(u.constants, func(c functionConstant) bool { return c.Name == name })
	if k < 0 {
		u.errorf(i+2, "%s is not a function constant", name)
		return
	}
	u.constants[k].asked = true
	lo := i
	for lo >= 2 && u.tokens[lo-1].is("::") && u.tokens[lo-2].identifier() {
		lo -= 2
	}
	u.dropSpan(lo, i+4)
	u.tokens[lo].drop = false
	u.tokens[lo].replace = "::msl::constant_defined<" + itoa(u.constants[k].Index) + ">()"
}

// literal translates a number to C++: half and bfloat literals have their own suffixes.
func literal(text string) string {
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	if hex && !strings.ContainsAny(text, "pP") {
		return text
	}
	for suffix, typ := range map[string]string{"h": "half", "H": "half", "bf": "bfloat", "BF": "bfloat"} {
		if digits, ok := strings.CutSuffix(text, suffix); ok && digits != "" {
			return typ + "(" + float(digits) + ")"
		}
	}
	return text
}

// float makes a floating-point literal of digits that may have no decimal point.
func float(digits string) string {
	if !strings.ContainsAny(digits, ".eEpP") {
		digits += ".0"
	}
	return digits + "f"
}
