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

// Value is one tensor of a graph: an input, a number, or what an operation computes.
type Value struct {
	Name   string
	Op     *Op // nil: an input or a number
	Args   []int
	Attrs  Attrs
	Shape  []int
	Line   int
	Number *float64       // a literal
	chain  *chain.Program // of a chain: what it computes of its arguments,
	over   []int          // the shape that it goes through,
	title  string         // and its operations in words
	// Also is a value that the kernel stores on the way, −1 for none; By is the value whose kernel stores this one.
	Also int
	By   int
	gone bool // it is computed within another value's kernel
}

// Attrs are the attributes of an operation by name.
type Attrs map[string]float64

// Graph is values in an order in which each follows what it is computed from.
type Graph struct {
	Type    shaders.Type
	Sizes   []Size // in the order of the text
	Values  []Value
	Outputs []int
}

// Size is a number that a graph names, and that can be replaced.
type Size struct {
	Name string
	N    int
}

// Elements are those of a shape.
func Elements(shape []int) int { return shaders.Product(shape...) }

func (v *Value) input() bool { return v.Op == nil && v.Number == nil && v.By < 0 }

// clone is a copy whose values can be changed.
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

// shapeText is a shape as people write it.
func shapeText(shape []int) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Label is what a value is called: its name, or the operation and its line.
func (g *Graph) Label(i int) string { return g.label(i) }

// label is what a value is called: its name, or the operation and its line.
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
