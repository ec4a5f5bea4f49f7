package graph

import (
	"slices"
	"strings"

	"assay/shaders/chain"
)

// fused is a graph after its passes, with the fusions that were not possible.
type fused struct {
	*Graph
	hidden map[string]*Op
	missed []Missed
}

// fuse runs the enabled passes.
func fuse(g *Graph, on map[string]bool) *fused {
	f := &fused{Graph: g.clone(), hidden: hiddenOps()}
	for _, pass := range Passes() {
		switch {
		case !on[pass.Name]:
		case pass.Name == "chain":
			f.chains()
		default:
			f.rules(pass.Name)
		}
	}
	return f
}

// rules applies the rules of a pass until none matches.
func (f *fused) rules(pass string) {
	refused := map[string]Missed{}
	for changed := true; changed; {
		changed = false
		clear(refused)
		for i := range f.Values {
			for _, r := range rules() {
				if r.pass != pass || f.Values[i].gone || f.Values[i].Op == nil {
					continue
				}
				done, why := f.try(&r, i, f.hidden)
				changed = changed || done
				if why != "" {
					refused[f.label(i)+why] = Missed{f.label(i), pass, why}
				}
			}
		}
	}
	for _, m := range refused {
		f.missed = append(f.missed, m)
	}
	slices.SortFunc(f.missed, func(a, b Missed) int { return order(a.Value+a.Why, b.Value+b.Why) })
}

func order(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// chains merges elementwise operations with the operations they are computed from, starting with the last.
func (f *fused) chains() {
	for i := len(f.Values) - 1; i >= 0; i-- {
		v := &f.Values[i]
		if v.gone || v.Op == nil || !v.Op.elementwise() && !v.Op.reduces() {
			continue
		}
		members := f.grow(i)
		if len(members) == 1 {
			continue
		}
		v.title = title(f.Graph, members)
		p, args := program(f.Graph, members)
		v.chain = &p
		if v.over = v.Shape; v.Op.reduces() {
			v.over = f.Values[members[len(members)-2]].Shape
		}
		v.Args = args
		v.Attrs, v.Op = Attrs{}, f.hidden["chain"]
		for _, m := range members[:len(members)-1] {
			f.Values[m].gone = true
		}
	}
}

// grow lists the values computed by a chain that ends with value i.
func (f *fused) grow(i int) []int {
	over := f.Values[i].Shape
	if f.Values[i].Op.reduces() {
		over = f.Values[f.Values[i].Args[0]].Shape
	}
	members, refused := []int{i}, map[int]bool{}
	for {
		next := f.candidate(members, refused)
		if next < 0 {
			return members
		}
		if why := f.unfit(next, members, over); why != "" {
			refused[next] = true
			f.missed = append(f.missed, Missed{f.label(next), "chain", why})
			continue
		}
		members = append(members, next)
		slices.Sort(members)
	}
}

// candidate returns an elementwise operation that a chain reads but does not contain; −1: there is none.
func (f *fused) candidate(members []int, refused map[int]bool) int {
	for _, a := range externals(f.Graph, members) {
		if v := &f.Values[a]; !refused[a] && v.Op != nil && v.Op.elementwise() {
			return a
		}
	}
	return -1
}

// unfit returns why a chain cannot compute one more value.
func (f *fused) unfit(next int, members []int, over []int) string {
	if f.output(next) {
		return f.label(next) + " is an output"
	}
	for _, u := range f.users(next) {
		if !slices.Contains(members, u) {
			return f.label(next) + " is needed by " + f.label(u) + ", too"
		}
	}
	if four(f.Values[next].Shape) != four(over) {
		return shapeText(f.Values[next].Shape) + " is computed once for all of " + shapeText(over)
	}
	all := append(slices.Clone(members), next)
	slices.Sort(all)
	p, _ := program(f.Graph, all)
	if err := p.Check(); err != nil {
		return "with it the kernel would have " + err.Error()
	}
	return ""
}

// externals lists what a chain reads but does not compute, except numbers.
func externals(g *Graph, members []int) []int {
	var all []int
	for _, m := range members {
		for _, a := range g.Values[m].Args {
			if g.Values[a].Number == nil && !slices.Contains(members, a) && !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}

// program returns the chain that computes members from what they read.
func program(g *Graph, members []int) (p chain.Program, inputs []int) {
	inputs = externals(g, members)
	p.Inputs = len(inputs)
	number := map[int]int{}
	for i, in := range inputs {
		number[in] = i
	}
	for _, m := range members {
		for _, a := range g.Values[m].Args {
			if x := g.Values[a].Number; x != nil {
				number[a] = p.Inputs + constant(&p, float32(*x))
			}
		}
	}
	first := p.Inputs + len(p.Constants)
	for _, m := range members {
		v := &g.Values[m]
		if v.Op.reduces() {
			p.Reduce = v.Op.reduce
			continue
		}
		number[m] = first + len(p.Steps)
		step := chain.Step{Op: chain.Code(v.Op.code), X: number[v.Args[0]]}
		step.Y = step.X
		if len(v.Args) > 1 {
			step.Y = number[v.Args[1]]
		}
		p.Steps = append(p.Steps, step)
	}
	return p, inputs
}

// constant returns the index of a constant in a chain, adding it if needed.
func constant(p *chain.Program, x float32) int {
	if i := slices.Index(p.Constants, x); i >= 0 {
		return i
	}
	p.Constants = append(p.Constants, x)
	return len(p.Constants) - 1
}

// title names the operations of a chain: "add+gelu+mul".
func title(g *Graph, members []int) string {
	var parts []string
	for _, m := range members {
		parts = append(parts, g.Values[m].Op.Name)
	}
	return strings.Join(parts, "+")
}
