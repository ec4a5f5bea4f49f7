package msl

import (
	"strconv"
	"strings"
)

// attribute is one of a list [[a, b(args)]].
type attribute struct {
	name string // with its namespace, if any
	at   int
	args span // empty if it has none
}

// takeAttributes records every attribute list and drops it from the output.
func (u *Unit) takeAttributes() {
	for i := 0; i+1 < len(u.tokens); i++ {
		end := u.attributeEnd(i)
		if end == 0 {
			continue
		}
		u.attrs[i] = u.parseAttributes(span{i + 2, end - 2})
		u.shut[i] = end
		u.dropSpan(i, end)
		i = end - 1
	}
}

// attributeEnd is the index after the attribute list that starts at i; 0 if there is none.
func (u *Unit) attributeEnd(i int) int {
	if !u.tokens[i].is("[") || i+1 >= len(u.tokens) || !u.tokens[i+1].is("[") {
		return 0
	}
	outer, inner := u.tokens[i].match, u.tokens[i+1].match
	if outer < 0 || inner != outer-1 {
		return 0
	}
	return outer + 1
}

func (u *Unit) parseAttributes(s span) []attribute {
	var list []attribute
	for _, p := range u.split(s) {
		a := attribute{at: p.lo}
		i := p.lo
		for ; i < p.hi && !u.tokens[i].is("("); i++ {
			a.name += u.tokens[i].text
		}
		if i < p.hi && u.tokens[i].match > i {
			a.args = span{i + 1, u.tokens[i].match}
		}
		if a.name != "" {
			list = append(list, a)
		}
	}
	return list
}

// attributesIn collects the attributes in a span, except those within parentheses and braces.
func (u *Unit) attributesIn(s span) []attribute {
	var list []attribute
	for i := s.lo; i < s.hi; {
		if end, ok := u.shut[i]; ok {
			list = append(list, u.attrs[i]...)
			i = end
			continue
		}
		i = u.past(i)
	}
	return list
}

func find(list []attribute, name string) (attribute, bool) {
	for _, a := range list {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

// stringValue joins the string literals of a span.
func (u *Unit) stringValue(s span) (string, bool) {
	var b strings.Builder
	found := false
	for i := s.lo; i < s.hi; i++ {
		t := &u.tokens[i]
		if t.is("(") || t.is(")") {
			continue
		}
		text, err := strconv.Unquote(t.text)
		if err != nil || t.kind != "string_literal" {
			return "", false
		}
		b.WriteString(text)
		found = true
	}
	return b.String(), found
}
