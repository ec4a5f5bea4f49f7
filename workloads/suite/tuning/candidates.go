package tuning

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/bench"
)

// candidate is an implementation with values of its tunables.
type candidate struct {
	*shaders.Impl
	tunables shaders.Constants
	err      error // why it was excluded
}

// candidates lists all values of the tunables of implementations, the defaults of each first. Where tunables have no effect, each
// implementation is one.
func candidates(impls []*shaders.Impl, untuned bool) []candidate {
	var list []candidate
	for _, m := range impls {
		settings := []shaders.Constants{{}}
		for _, t := range m.Tunables {
			if untuned {
				break
			}
			var next []shaders.Constants
			for _, v := range append([]int32{t.Default}, without(t.Values, t.Default)...) {
				for _, s := range settings {
					with := maps.Clone(s)
					with[t.Name] = v
					next = append(next, with)
				}
			}
			settings = next
		}
		for _, s := range settings {
			list = append(list, candidate{Impl: m, tunables: s})
		}
	}
	return list
}

func without(values []int32, v int32) []int32 {
	return slices.DeleteFunc(slices.Clone(values), func(x int32) bool { return x == v })
}

// name tells candidates apart: "blocked, tile rows 128, tile cols 64".
func (c *candidate) name() string {
	return strings.Join(append([]string{c.Shown()}, c.settings(c.Tunables)...), ", ")
}

func (c *candidate) settings(of []shaders.Tunable) []string {
	var parts []string
	for _, t := range of {
		if v, set := c.tunables[t.Name]; set {
			parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(t.Name, "_", " "), v))
		}
	}
	return parts
}

// place is where the candidate stands in the landscape of its implementation: the values of the first half of its tunables, and of the
// others; empty if there is no choice.
func (c *candidate) place() (across, down string) {
	n := (len(c.Tunables) + 1) / 2
	if len(c.Tunables) == 3 {
		n = 1 // two of three make many columns
	}
	across, down = strings.Join(c.settings(c.Tunables[:n]), ", "), strings.Join(c.settings(c.Tunables[n:]), ", ")
	if across != "" && down == "" {
		down = c.Shown()
	}
	return across, down
}

// kernel is the candidate in a type.
func (c *candidate) kernel(t shaders.Type) shaders.Kernel {
	k := c.Kernel(t)
	return k.With(c.tunables)
}

// eligible are the candidates for a call, without the default; implementations that the engine lacks are named, and what one refuses is
// left out and counted.
func eligible(s *bench.Scope, info gpu.Info, o *operation, byDefault *shaders.Kernel, params any, library bool) (list []candidate, lacking []string, refused int) {
	for _, c := range candidates(o.of(byDefault.Type), info.Untuned) {
		k := c.kernel(byDefault.Type)
		call := k.Call(params)
		switch {
		case k.ID() == byDefault.ID() || slices.Contains(lacking, c.Shown()):
			continue
		case c.Library != shaders.Own && (!library || !s.MayHave(c.Library)):
			continue
		case k.Check(params) != nil, c.Suits != nil && c.Suits(call) != nil:
			refused++
			continue
		}
		if s.SupportsWith(shaders.Pick{Op: o.Name, Impl: c.Name, Type: k.Type}, nil) != nil {
			lacking = append(lacking, c.Shown())
			continue
		}
		list = append(list, c)
	}
	return list, lacking, refused
}

// thinned are at most n of the candidates: of each implementation its defaults, and others at random.
func thinned(list []candidate, n int, seed uint64) []candidate {
	if len(list) <= n {
		return list
	}
	var first, others []candidate
	seen := map[*shaders.Impl]bool{}
	for _, c := range list {
		if seen[c.Impl] {
			others = append(others, c)
			continue
		}
		seen[c.Impl] = true
		first = append(first, c)
	}
	r := rand.New(rand.NewPCG(seed, 120))
	r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return append(first, others...)[:n]
}
