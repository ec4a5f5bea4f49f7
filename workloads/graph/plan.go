package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/internal/meant"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/catalog"
)

// Chooser picks the kernel for a call, and says why.
type Chooser func(p shaders.Pick, c shaders.Constants, params any) (shaders.Kernel, string, error)

// Options control planning.
type Options struct {
	Passes []string       // the enabled passes
	Choose Chooser        // nil: a device that supports every kernel
	Limits shaders.Limits // per threadgroup, used to report launches; zero: UsualLimits
}

// UsualLimits are the limits of a threadgroup on Apple's GPUs.
func UsualLimits() shaders.Limits { return shaders.Limits{Threads: 1024, Shared: 32 << 10} }

// anyDevice chooses for a device that supports every kernel.
func anyDevice(p shaders.Pick, c shaders.Constants, params any) (shaders.Kernel, string, error) {
	return catalog.Choose(p, c, params, shaders.Device{Supports: func(shaders.Kernel) error { return nil }})
}

// AllPasses names every pass.
func AllPasses() []string {
	var all []string
	for _, p := range Passes() {
		all = append(all, p.Name)
	}
	return all
}

// ParsePasses parses "all", "none", or a comma-separated list; a name with a leading minus is removed from all.
func ParsePasses(text string) ([]string, error) {
	known := AllPasses()
	switch text {
	case "", "all":
		return known, nil
	case "none":
		return nil, nil
	}
	var on, off []string
	for word := range strings.SplitSeq(text, ",") {
		name, minus := strings.CutPrefix(strings.TrimSpace(word), "-")
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no pass %q%s: want some of %s, all or none", name, meant.Hint(name, known), strings.Join(known, ", "))
		}
		if minus {
			off = append(off, name)
		} else {
			on = append(on, name)
		}
	}
	if len(on) == 0 {
		on = known
	}
	return slices.DeleteFunc(slices.Clone(on), func(name string) bool { return slices.Contains(off, name) }), nil
}

// Plan is how a graph runs: its steps and where its values are stored.
type Plan struct {
	Graph  *Graph // after the passes
	Steps  []Step
	Missed []Missed
	Memory Memory
	Limits shaders.Limits
}

// Make plans a graph.
func Make(g *Graph, o Options) (*Plan, error) {
	on := map[string]bool{}
	for _, name := range o.Passes {
		on[name] = true
	}
	if o.Choose == nil {
		o.Choose = anyDevice
	}
	f := fuse(g, on)
	steps, err := lower(f.Graph, o.Choose)
	if err != nil {
		return nil, err
	}
	if o.Limits == (shaders.Limits{}) {
		o.Limits = UsualLimits()
	}
	return &Plan{f.Graph, steps, f.missed, plan(f.Graph, steps, on["memory"]), o.Limits}, nil
}

// Cost returns the sum of the steps' costs.
func (p *Plan) Cost() shaders.Cost {
	var total shaders.Cost
	for i := range p.Steps {
		total = total.Add(p.Steps[i].Cost())
	}
	return total
}

// tile returns how a step is cut into threadgroups, with its kernel's tunables; or why it cannot be.
func (s *Step) tile(limits shaders.Limits) string {
	l, err := s.Kernel.Launch(s.Params, limits)
	if err != nil {
		return "cannot be launched: " + err.Error()
	}
	by := func(d [3]uint32) string {
		text := fmt.Sprintf("%d × %d × %d", d[0], d[1], d[2])
		return strings.TrimSuffix(strings.TrimSuffix(text, " × 1"), " × 1")
	}
	text := by(l.Groups) + " threadgroups of " + by(l.Threads) + " threads"
	shared := 0
	for _, n := range l.Shared {
		shared += n
	}
	if shared > 0 {
		text += fmt.Sprintf(", %s of memory each", si.Format(float64(shared), "iB"))
	}
	given := s.Kernel.Constants()
	for _, t := range s.Kernel.Impl.Tunables {
		value := t.Default
		if v, set := given[t.Name]; set {
			value = v
		}
		text += fmt.Sprintf(", %s %d", t.Name, value)
	}
	return text
}

// Text formats the plan for people: steps, what was not fused, memory, and the savings over another plan of the same graph.
func (p *Plan) Text(before *Plan) string {
	var out strings.Builder
	wide := 12 // of the labels
	for i := range p.Steps {
		wide = max(wide, utf8.RuneCountInString(p.Graph.label(p.Steps[i].Value)))
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		cost := s.Cost()
		fmt.Fprintf(&out, "%3d  %-28s %-14s → %-*s %10s  %s", i+1, s.Kind, shapeText(p.Graph.Values[s.Value].Shape), wide, p.Graph.label(s.Value),
			si.Bytes(cost.Bytes), s.Kernel.ID())
		if s.Why != "" {
			fmt.Fprintf(&out, " (%s)", s.Why)
		}
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, "\nTiles, in threadgroups of at most %d threads and %s of memory:\n", p.Limits.Threads, si.Format(float64(p.Limits.Shared), "iB"))
	for i := range p.Steps {
		fmt.Fprintf(&out, "%3d  %s\n", i+1, p.Steps[i].tile(p.Limits))
	}
	if len(p.Missed) > 0 {
		out.WriteString("\nNot fused:\n")
	}
	for _, m := range p.Missed {
		fmt.Fprintf(&out, "  %-14s %-10s %s\n", m.Value, m.Pass, m.Why)
	}
	out.WriteString("\nMemory of results, and the steps that need them:\n")
	for _, one := range p.Memory.Intervals {
		bar := strings.Repeat("·", one.First) + strings.Repeat("█", one.Last-one.First+1) + strings.Repeat("·", len(p.Steps)-1-one.Last)
		fmt.Fprintf(&out, "  %-20s %10s at %10s  %s\n", p.Graph.label(one.Value), si.Bytes(float64(one.Bytes)), si.Bytes(float64(one.Offset)), bar)
	}
	a, b := before.Cost(), p.Cost()
	fmt.Fprintf(&out, "\nDispatches  %d → %d\n", len(before.Steps), len(p.Steps))
	fmt.Fprintf(&out, "Bytes       %s → %s (modeled)\n", si.Bytes(a.Bytes), si.Bytes(b.Bytes))
	fmt.Fprintf(&out, "Memory      %s → %s\n", si.Bytes(float64(before.Memory.Before)), si.Bytes(float64(p.Memory.Peak)))
	return out.String()
}
