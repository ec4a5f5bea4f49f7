package own

import (
	"slices"
	"strings"
)

func (p *parser) argument(name string, t *table) Argument {
	a := Argument{
		Name: name, Type: t.str("type"), Length: t.expr("length"), Fill: Fill(t.str("fill")), Seed: uint64(t.count("seed", 0, 1)),
		Low: t.number("low", 0), High: t.number("high", 1), Step: t.number("step", 1), File: t.str("file"), Tensor: t.str("tensor"),
		Value: t.expr("value"), Bytes: t.expr("bytes"), Extents: t.exprsUpTo("extents", maxRank), Strides: t.exprsUpTo("strides", maxRank),
	}
	if len(a.Strides) > 0 && len(a.Strides) != len(a.Extents) {
		t.problem("strides", "has %d numbers, want one for each of the %d extents", len(a.Strides), len(a.Extents))
	}
	for i, v := range valueOf[[]any](t, "fields", "a list of tables") {
		m, _ := v.(map[string]any)
		sub := &table{p, t.key("fields"), m, nil}
		f := Field{sub.str("name"), sub.str("type"), sub.expr("value")}
		if f.Type == "" || f.Value.Text == "" {
			t.problem("fields", "field %d: want type and value", i+1)
		} else if _, err := elementOf(f.Type); err != nil {
			t.problem("fields", "field %d: %v", i+1, err)
		}
		a.Fields = append(a.Fields, f)
		sub.end()
	}
	t.end()
	p.argumentKind(&a, t)
	return a
}

// argumentKind rejects an argument that is not exactly one of buffer, scalar, struct and threadgroup memory.
func (p *parser) argumentKind(a *Argument, t *table) {
	kinds := 0
	buffer := a.Length.Text != "" || a.File != "" || len(a.Extents) > 0
	for _, is := range []bool{buffer, a.Value.Text != "", len(a.Fields) > 0, a.Bytes.Text != ""} {
		kinds += int(one(is))
	}
	if kinds != 1 {
		p.problem(t.path, "want one of length, extents or file (a buffer), value (a scalar), fields (a struct), bytes (threadgroup memory)")
		return
	}
	if !buffer {
		return
	}
	if a.Fill == "" && a.File != "" {
		a.Fill = FromFile
	}
	if !slices.Contains(Fills(), a.Fill) {
		t.problem("fill", "is %q, want one of %s", a.Fill, fillNames())
	}
	if (a.Fill == FromFile) != (a.File != "") {
		t.problem("fill", "file needs the key file, and no other fill has it")
	}
	if a.Type != "" {
		if _, err := elementOf(a.Type); err != nil {
			t.problem("type", "%v", err)
		}
	}
	if a.Fill == Random && a.High < a.Low {
		t.problem("high", "is %g, below low, which is %g", a.High, a.Low)
	}
}

func fillNames() string {
	var names []string
	for _, f := range Fills() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}
