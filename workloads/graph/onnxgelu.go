package graph

import (
	"math"
	"slices"
)

// foldGelu replaces what exporters write for GELU, x · 0.5 · (1 + erf(x / √2)) with the factors in any order, by Gelu, and removes the
// nodes that are no longer needed.
func (m *onnxModel) foldGelu() {
	p := newProducers(m)
	for at := range m.nodes {
		n := &m.nodes[at]
		if n.op != "Mul" || len(n.in) != 2 || len(n.out) != 1 {
			continue
		}
		if x, is := p.gelu(n); is {
			*n = onnxNode{op: "Gelu", name: n.name, in: []string{x}, out: n.out, attrs: map[string]onnxAttr{}}
		}
	}
	m.prune()
}

// producers finds the node that computes a value, and known numbers.
type producers struct {
	nodes   map[string]*onnxNode
	numbers map[string]float64
}

func newProducers(m *onnxModel) *producers {
	p := &producers{map[string]*onnxNode{}, map[string]float64{}}
	for at := range m.tensors {
		p.keep(m.tensors[at].name, &m.tensors[at])
	}
	for at := range m.nodes {
		n := &m.nodes[at]
		for _, out := range n.out {
			p.nodes[out] = n
		}
		if n.op == "Constant" && len(n.out) == 1 {
			p.keep(n.out[0], n.attrs["value"].t)
			if a, has := n.attrs["value_float"]; has {
				p.numbers[n.out[0]] = a.f
			}
		}
	}
	return p
}

func (p *producers) keep(name string, t *onnxTensor) {
	if t != nil && len(t.values) == 1 {
		p.numbers[name] = t.values[0]
	}
}

// is reports whether a value is a number, to about half precision.
func (p *producers) is(name string, x float64) bool {
	v, known := p.numbers[name]
	return known && math.Abs(v-x) < 1e-3*x
}

// by returns the node that computes a value, if it is that operation with two arguments.
func (p *producers) by(name, op string) *onnxNode {
	if n := p.nodes[name]; n != nil && n.op == op && len(n.in) == 2 {
		return n
	}
	return nil
}

// other returns a node's argument if the other one is that number.
func (p *producers) other(n *onnxNode, x float64) (string, bool) {
	for i := range n.in {
		if p.is(n.in[i], x) {
			return n.in[1-i], true
		}
	}
	return "", false
}

// gelu returns x if a node is the last multiplication of GELU(x).
func (p *producers) gelu(n *onnxNode) (x string, is bool) {
	for _, leaf := range p.factors(n, "") {
		if x, is = p.onePlusErf(leaf); !is {
			continue
		}
		rest := slices.DeleteFunc(p.factors(n, x), func(f string) bool { return f == leaf })
		if len(rest) == 2 && (rest[0] == x && p.is(rest[1], 0.5) || rest[1] == x && p.is(rest[0], 0.5)) {
			return x, true
		}
	}
	return "", false
}

// maxFactors limits how many factors of a product are examined.
const maxFactors = 4

// factors returns the factors of a product, and of the products nested in it, without splitting the value whole.
func (p *producers) factors(n *onnxNode, whole string) []string {
	all := slices.Clone(n.in)
	for i := 0; i < len(all) && len(all) < maxFactors; {
		if inner := p.by(all[i], "Mul"); inner != nil && all[i] != whole {
			all = slices.Replace(all, i, i+1, inner.in...)
			continue
		}
		i++
	}
	return all
}

// onePlusErf returns x if a value is 1 + erf(x / √2).
func (p *producers) onePlusErf(name string) (x string, is bool) {
	sum := p.by(name, "Add")
	if sum == nil {
		return "", false
	}
	value, is := p.other(sum, 1)
	erf := p.nodes[value]
	if !is || erf == nil || erf.op != "Erf" || len(erf.in) != 1 {
		return "", false
	}
	if n := p.by(erf.in[0], "Div"); n != nil && p.is(n.in[1], math.Sqrt2) {
		return n.in[0], true
	}
	if n := p.by(erf.in[0], "Mul"); n != nil {
		return p.other(n, 1/math.Sqrt2)
	}
	return "", false
}

// prune removes nodes that no output needs.
func (m *onnxModel) prune() {
	needed := map[string]bool{}
	for _, out := range m.outputs {
		needed[out] = true
	}
	var kept []onnxNode
	for _, n := range slices.Backward(m.nodes) {
		if !slices.ContainsFunc(n.out, func(name string) bool { return needed[name] }) {
			continue
		}
		for _, in := range n.in {
			needed[in] = true
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	m.nodes = kept
}
