package graph

import (
	"fmt"
	"math"
	"slices"

	"assay/shaders"
)

// Pass is a kind of fusion that can be switched off.
type Pass struct{ Name, About string }

// Passes lists the passes in the order in which they run.
func Passes() []Pass {
	return []Pass{
		{"transpose", "matmuls read a transposed operand in place"},
		{"attention", "scores, softmax and values in one kernel"},
		{"matmul", "bias and activation in the product’s epilogue"},
		{"conv", "bias and activation in the convolution’s epilogue"},
		{"swiglu", "SiLU and the product that follows in one kernel"},
		{"norm", "a sum and the normalization that follows in one kernel"},
		{"chain", "elementwise operations, and a reduction at their end, in one generated kernel"},
		{"memory", "later results reuse the memory of those no longer needed"},
	}
}

// rule replaces operations by one whose kernel computes them all. Lowercase names stand for any value; act stands for any activation
// that epilogues support.
type rule struct {
	pass, from, to string
	when           func(g *Graph, b map[string]int) string // why it does not apply; empty: it does
}

// rules lists the patterns of the passes, one per line.
func rules() []rule {
	return []rule{
		{"transpose", "matmul(a, transpose(b))", "matmul(a, b, tb=1)", matrixOrBatch},
		{"transpose", "matmul(transpose(a), b)", "matmul(a, b, ta=1)", sameBatch},
		{"attention", "matmul(softmax(mul(matmul(q, k), s)), v)", "attention(q, k, v)", timesRootOfHead},
		{"attention", "matmul(softmax(div(matmul(q, k), s)), v)", "attention(q, k, v)", byRootOfHead},
		{"attention", "matmul(softmax(add(mul(matmul(q, k), s), mask)), v)", "attention(q, k, v, mask)", timesRootOfHead},
		{"attention", "matmul(softmax(add(div(matmul(q, k), s), mask)), v)", "attention(q, k, v, mask)", byRootOfHead},
		{"matmul", "add(matmul(a, b), bias)", "matmul(a, b, bias)", biasOfColumns},
		{"matmul", "act(matmul(a, b))", "matmul(a, b)", nil},
		{"matmul", "act(matmul(a, b, bias))", "matmul(a, b, bias)", nil},
		{"conv", "add(conv2d(a, b), bias)", "conv2d(a, b, bias)", biasOfChannels},
		{"conv", "act(conv2d(a, b))", "conv2d(a, b)", nil},
		{"conv", "act(conv2d(a, b, bias))", "conv2d(a, b, bias)", nil},
		{"swiglu", "mul(silu(a), b)", "silu_mul(a, b)", alike},
		{"norm", "layernorm(add(x, y), weight, bias)", "add_layernorm(x, y, weight, bias)", alikeSum},
	}
}

// pattern is a node of a pattern: an operation, or a name that stands for a value.
type pattern struct {
	name string
	args []*pattern
	attr string
}

// parsePattern parses the notation of rules: op(arg, …), with attr=1 at the end.
func parsePattern(text string) *pattern {
	tokens := lex(text)
	at := 0
	var read func() *pattern
	read = func() *pattern {
		p := &pattern{name: tokens[at].text}
		if at++; at < len(tokens) && tokens[at].text == "=" {
			p.attr, at = p.name, at+2
			return p
		}
		if at == len(tokens) || tokens[at].text != "(" {
			return p
		}
		for tokens[at].text != ")" {
			at++
			if arg := read(); arg.attr != "" {
				p.attr = arg.attr
			} else {
				p.args = append(p.args, arg)
			}
		}
		at++
		return p
	}
	return read()
}

// found is a match of a rule: what its names are bound to, and the inner operations, which are removed.
type found struct {
	bound  map[string]int
	inside []int
	act    int
	anchor int // the value whose operation is kept
}

// match reports whether value i has the form of a pattern.
func (g *Graph) match(p *pattern, i int, top bool, keep string, f *found) bool {
	v := &g.Values[i]
	if p.args == nil {
		f.bound[p.name] = i
		return true
	}
	if v.Op == nil || v.gone {
		return false
	}
	act := 0
	if p.name == "act" {
		act = activation(v.Op.Name)
	}
	if v.Op.Name != p.name && act == 0 || len(v.Args) != len(p.args) {
		return false
	}
	if p.name == keep {
		f.anchor = i
	}
	f.act = max(f.act, act)
	if !top {
		f.inside = append(f.inside, i)
	}
	if g.matchArgs(p, v.Args, keep, f) {
		return true
	}
	swapped := v.Op.Name == "add" || v.Op.Name == "mul"
	return swapped && g.matchArgs(p, []int{v.Args[1], v.Args[0]}, keep, f)
}

func (g *Graph) matchArgs(p *pattern, args []int, keep string, f *found) bool {
	inside, anchor := len(f.inside), f.anchor
	for j, sub := range p.args {
		if !g.match(sub, args[j], false, keep, f) {
			f.inside, f.anchor = f.inside[:inside], anchor
			return false
		}
	}
	return true
}

// activation returns the number of an epilogue activation; 0 if it is not one.
func activation(op string) int {
	for i, a := range shaders.Activations() {
		if i > 0 && a.Name == op {
			return i
		}
	}
	return 0
}

// Missed is a fusion that a pattern or a chain would allow, and why it was not made.
type Missed struct {
	Value string
	Pass  string
	Why   string
}

// try applies a rule at value i. It returns why a match was rejected.
func (g *Graph) try(r *rule, i int, hidden map[string]*Op) (done bool, why string) {
	from, to := parsePattern(r.from), parsePattern(r.to)
	f := found{bound: map[string]int{}, anchor: -1}
	if !g.match(from, i, true, to.name, &f) {
		return false, ""
	}
	if why := g.shared(r, f.inside, i); why != "" {
		return false, why
	}
	if r.pass == "attention" && !g.plainScores(i, f.inside) {
		return false, ""
	}
	if f.anchor >= 0 {
		f.bound[anchored] = f.anchor
	}
	if r.when != nil {
		if why := r.when(g, f.bound); why != "" {
			return false, why
		}
	}
	if f.anchor >= 0 && g.Values[f.anchor].Attrs["act"] != 0 {
		return false, "the epilogue ends with its activation"
	}
	g.replace(i, to, &f, hidden)
	return true, ""
}

// anchored is the name that the kept operation is bound to.
const anchored = "·"

// plainScores reports whether an attention's GEMMs use transposed keys and untransposed values, without an epilogue.
func (g *Graph) plainScores(top int, inside []int) bool {
	for _, i := range append([]int{top}, inside...) {
		v := &g.Values[i]
		if v.Op.Name != "matmul" {
			continue
		}
		keys := 0.0
		if i != top {
			keys = 1
		}
		if v.Attrs["ta"] != 0 || v.Attrs["act"] != 0 || v.Attrs["tb"] != keys {
			return false
		}
	}
	return true
}

// shared says which inner value is needed elsewhere. The sum before a normalization may be needed: the kernel stores it too.
func (g *Graph) shared(r *rule, inside []int, top int) string {
	if r.pass == "norm" {
		return ""
	}
	for _, in := range inside {
		if g.output(in) {
			return g.label(in) + " is an output"
		}
		for _, u := range g.users(in) {
			if u != top && !slices.Contains(inside, u) {
				return fmt.Sprintf("%s is needed by %s, too", g.label(in), g.label(u))
			}
		}
	}
	return ""
}

// replace turns value i into the operation of a rule's right side.
func (g *Graph) replace(i int, to *pattern, f *found, hidden map[string]*Op) {
	v := &g.Values[i]
	attrs := Attrs{}
	if f.anchor >= 0 {
		for name, x := range g.Values[f.anchor].Attrs {
			attrs[name] = x
		}
		v.Op = g.Values[f.anchor].Op
	} else {
		for name, x := range v.Attrs {
			attrs[name] = x
		}
		v.Op = hidden[to.name]
	}
	if to.attr != "" {
		attrs[to.attr] = 1 - attrs[to.attr] // transposing twice cancels out
	}
	if f.act != 0 {
		attrs["act"] = float64(f.act)
	}
	v.Attrs = attrs
	v.Args = nil
	for _, arg := range to.args {
		v.Args = append(v.Args, f.bound[arg.name])
	}
	for _, in := range f.inside {
		if to.name == "add_layernorm" && (g.output(in) || len(g.users(in)) > 0) {
			v.Also, g.Values[in].By = in, i
			g.Values[in].Op, g.Values[in].Args = nil, nil
		}
		if to.name == "add_layernorm" && v.Also < 0 {
			v.Also = in
		}
		g.Values[in].gone = g.Values[in].By < 0
	}
}

// Conditions of rules.

func matrixOrBatch(g *Graph, b map[string]int) string {
	x, y := g.Values[b["a"]].Shape, g.Values[b["b"]].Shape
	if len(y) > 2 && len(x) != len(y) {
		return "the batches differ"
	}
	return ""
}

func sameBatch(g *Graph, b map[string]int) string {
	x, y := g.Values[b["a"]].Shape, g.Values[b["b"]].Shape
	if len(x) > 2 && len(y) == 2 {
		return "the rows of a batch of transposed matrices do not follow each other"
	}
	return ""
}

// timesRootOfHead applies to scores multiplied by s.
func timesRootOfHead(g *Graph, b map[string]int) string {
	return rootOfHead(g, b, func(s, root float64) float64 { return s * root })
}

// byRootOfHead applies to scores divided by s.
func byRootOfHead(g *Graph, b map[string]int) string {
	return rootOfHead(g, b, func(s, root float64) float64 { return s / root })
}

// rootOfHead requires the kernel's scale: unit of s and the square root of the head dimension must be 1.
func rootOfHead(g *Graph, b map[string]int, unit func(s, root float64) float64) string {
	q, k, v := g.Values[b["q"]].Shape, g.Values[b["k"]].Shape, g.Values[b["v"]].Shape
	n := len(q)
	dim := q[n-1]
	s := g.Values[b["s"]].Number
	switch {
	case s == nil || math.Abs(unit(*s, math.Sqrt(float64(dim)))-1) >= 1e-4:
		return fmt.Sprintf("the scale is not 1/√%d, which the kernel has", dim)
	case len(k) != n || !slices.Equal(k, v) || k[n-1] != dim:
		return "want q, k and v of equal rank, the keys transposed in the product"
	case dim > maxHead:
		return fmt.Sprintf("a head of %d, the kernel takes at most %d", dim, maxHead)
	}
	if mask, has := b["mask"]; has && !slices.Equal(g.Values[mask].Shape, []int{q[n-2], k[n-2]}) {
		return fmt.Sprintf("a mask of %s, the kernel takes %s", shapeText(g.Values[mask].Shape), shapeText([]int{q[n-2], k[n-2]}))
	}
	return ""
}

func biasOfColumns(g *Graph, b map[string]int) string {
	product := g.Values[b[anchored]].Shape
	bias := g.Values[b["bias"]]
	n := product[len(product)-1]
	if Elements(bias.Shape) != n || len(bias.Shape) == 0 || bias.Shape[len(bias.Shape)-1] != n {
		return fmt.Sprintf("the add takes %s, a bias has one value per column: [%d]", shapeText(bias.Shape), n)
	}
	return ""
}

func biasOfChannels(g *Graph, b map[string]int) string {
	o := g.Values[b["b"]].Shape[0]
	s := g.Values[b["bias"]].Shape
	if len(s) < 3 || Elements(s) != o || s[len(s)-3] != o {
		return fmt.Sprintf("the sum adds %s, a bias is of the channels: [%d, 1, 1]", shapeText(s), o)
	}
	return ""
}

func alike(g *Graph, b map[string]int) string {
	x, y := g.Values[b["a"]].Shape, g.Values[b["b"]].Shape
	if !slices.Equal(x, y) {
		return fmt.Sprintf("%s and %s differ", shapeText(x), shapeText(y))
	}
	return ""
}

func alikeSum(g *Graph, b map[string]int) string {
	x, y := g.Values[b["x"]].Shape, g.Values[b["y"]].Shape
	if !slices.Equal(x, y) {
		return fmt.Sprintf("the sum of %s and %s, the kernel adds equal shapes", shapeText(x), shapeText(y))
	}
	if !g.Values[b["weight"]].input() || !g.Values[b["bias"]].input() {
		return "its weight or bias is computed"
	}
	return ""
}

// kind names a step: an operation and what its kernel does in addition.
func (v *Value) kind() string {
	name := v.Op.Name
	if v.title != "" {
		return v.title
	}
	if (name == "matmul" || name == "conv2d") && len(v.Args) > 2 {
		name += "+bias"
	}
	if act := int(v.Attrs["act"]); act > 0 {
		name += "+" + shaders.Activations()[act].Name
	}
	return name
}
