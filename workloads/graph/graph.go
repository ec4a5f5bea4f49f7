// Package graph owns op graphs: the text that people type, shapes, passes that fuse operations, generated kernels where no built-in
// kernel fits, and a memory plan. It knows no engine.
package graph

import (
	"fmt"
	"slices"
	"strings"

	"assay/shaders"
	"assay/shaders/chain"
)

// Limits of a graph.
const (
	MaxValues   = 1000
	MaxElements = 1 << 28 // of a value
	MaxDims     = 4
	MaxText     = 1 << 20 // bytes
)

// Value is one tensor of a graph: an input, a number, or the result of an operation.
type Value struct {
	Name   string
	Op     *Op // nil: an input or a number
	Args   []int
	Attrs  Attrs
	Shape  []int
	Line   int
	Number *float64       // a literal
	chain  *chain.Program // for a chain: what it computes from its arguments,
	over   []int          // the shape it iterates over,
	title  string         // and its operations in words
	// Also is a value that the kernel also stores, −1 for none; By is the value whose kernel stores this one.
	Also int
	By   int
	gone bool // it is computed within another value's kernel
}

// Attrs holds the attributes of an operation by name.
type Attrs map[string]float64

// Graph lists values in topological order: each follows those it is computed from.
type Graph struct {
	Type    shaders.Type
	Sizes   []Size // in the order of the text
	Values  []Value
	Outputs []int
}

// Size is a named number in a graph that can be replaced.
type Size struct {
	Name string
	N    int
}

// Elements returns the number of elements of a shape.
func Elements(shape []int) int { return shaders.Product(shape...) }

func (v *Value) input() bool { return v.Op == nil && v.Number == nil && v.By < 0 }

// clone returns a copy whose values can be changed.
func (g *Graph) clone() *Graph {
	c := *g
	c.Values = slices.Clone(g.Values)
	for i := range c.Values {
		c.Values[i].Args = slices.Clone(c.Values[i].Args)
	}
	return &c
}

// users lists the live values that read value i.
func (g *Graph) users(i int) []int {
	var all []int
	for j := range g.Values {
		if !g.Values[j].gone && slices.Contains(g.Values[j].Args, i) {
			all = append(all, j)
		}
	}
	return all
}

func (g *Graph) output(i int) bool { return slices.Contains(g.Outputs, i) }

// shapeText formats a shape.
func shapeText(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Label returns the name of a value, or else its operation and line.
func (g *Graph) Label(i int) string { return g.label(i) }

// label returns the name of a value, or else its operation and line.
func (g *Graph) label(i int) string {
	v := &g.Values[i]
	switch {
	case v.Number != nil:
		return fmt.Sprintf("%g", *v.Number)
	case v.Name != "":
		return v.Name
	}
	return fmt.Sprintf("%s on line %d", v.Op.Name, v.Line)
}

// Inputs lists the inputs that some operation reads, or that are outputs.
func (g *Graph) Inputs() []int {
	var all []int
	for i := range g.Values {
		if g.Values[i].input() && !g.Values[i].gone {
			all = append(all, i)
		}
	}
	return all
}
