package graph

import (
	"fmt"
	"slices"
	"strings"
)

// DOT returns the plan as a Graphviz graph: inputs as ellipses, steps as boxes that list what each is fused from, outputs in bold.
func (p *Plan) DOT() string {
	var out strings.Builder
	out.WriteString("digraph plan {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", fontsize=11];\n")
	name := func(i int) string { return fmt.Sprintf("v%d", i) }
	for _, i := range p.Graph.Inputs() {
		fmt.Fprintf(&out, "  %s [label=\"%s\\n%s\", shape=ellipse];\n", name(i), p.Graph.label(i), shapeText(p.Graph.Values[i].Shape))
	}
	for _, i := range p.values() {
		style := ""
		if p.Graph.output(i) {
			style = ", penwidth=2"
		}
		v := &p.Graph.Values[i]
		fmt.Fprintf(&out, "  %s [label=\"%s\\n%s %s\", shape=box%s];\n", name(i), v.kind(), p.Graph.label(i), shapeText(v.Shape), style)
		for _, a := range v.Args {
			fmt.Fprintf(&out, "  %s -> %s;\n", name(p.from(a)), name(i))
		}
	}
	out.WriteString("}\n")
	return out.String()
}

// from returns the value whose step computes value i.
func (p *Plan) from(i int) int {
	if i = p.Graph.memory(i); p.Graph.Values[i].By >= 0 {
		return p.Graph.Values[i].By
	}
	return i
}

// values lists the values that the steps compute, each once.
func (p *Plan) values() []int {
	var all []int
	for _, s := range p.Steps {
		if !slices.Contains(all, s.Value) {
			all = append(all, s.Value)
		}
	}
	return all
}

// Drawing returns the plan as lines of text: each step below the ones it reads, which are named by number or by name.
func (p *Plan) Drawing() string {
	var out strings.Builder
	row := map[int]string{}
	for _, i := range p.Graph.Inputs() {
		row[i] = p.Graph.label(i)
		fmt.Fprintf(&out, "      %s %s\n", p.Graph.label(i), shapeText(p.Graph.Values[i].Shape))
	}
	for n, i := range p.values() {
		v := &p.Graph.Values[i]
		var reads []string
		for _, a := range v.Args {
			if p.Graph.Values[a].Number != nil {
				reads = append(reads, p.Graph.label(a))
				continue
			}
			reads = append(reads, row[p.from(a)])
		}
		row[i] = fmt.Sprintf("(%d)", n+1)
		mark := "├─"
		if p.Graph.output(i) {
			mark = "└▶"
		}
		fmt.Fprintf(&out, "%4d %s %s(%s) → %s %s\n", n+1, mark, v.kind(), strings.Join(reads, ", "), p.Graph.label(i), shapeText(v.Shape))
	}
	return out.String()
}
