package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// candidate is an implementation with values for its tunables.
type candidate struct {
	*shaders.Impl
	tunables shaders.Constants
	err      error // why it was excluded
}

// candidates lists all values of the implementations' tunables. If tunables have no effect, each implementation is one candidate.
func candidates(impls []*shaders.Impl, untuned bool) []candidate {
	var list []candidate
	for _, m := range impls {
		settings := []shaders.Constants{{}}
		for _, t := range m.Tunables {
			if untuned {
				break
			}
			var next []shaders.Constants
			for _, s := range settings {
				for _, v := range t.Values {
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

// name identifies a candidate: "blocked, tile rows 128, tile cols 64".
func (c *candidate) name() string {
	parts := []string{c.Shown()}
	for _, t := range c.Tunables {
		if v, set := c.tunables[t.Name]; set {
			parts = append(parts, fmt.Sprintf("%s %d", spaced(t.Name), v))
		}
	}
	return strings.Join(parts, ", ")
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// place is the candidate's position in the landscape of its implementation: by the first half of its tunables, and by the others.
// There is none without a choice.
func (c *candidate) place() []workloads.Setting {
	if len(c.tunables) == 0 {
		return nil
	}
	n := (len(c.Tunables) + 1) / 2
	if len(c.Tunables) == 3 {
		n = 1 // two of three would make many columns
	}
	names, across := c.joined(c.Tunables[:n])
	others, down := c.joined(c.Tunables[n:])
	if others != "" {
		names += " by " + others
	} else {
		down = c.Shown()
	}
	return []workloads.Setting{{Name: "landscape", Value: c.Shown() + ", " + names}, {Name: "across", Value: across}, {Name: "down", Value: down}}
}

// joined returns the names and the values of tunables: "tile rows × tile cols", "64 × 128".
func (c *candidate) joined(of []shaders.Tunable) (names, values string) {
	var words, numbers []string
	for _, t := range of {
		words, numbers = append(words, spaced(t.Name)), append(numbers, fmt.Sprint(c.tunables[t.Name]))
	}
	return strings.Join(words, " × "), strings.Join(numbers, " × ")
}

// kernel returns the candidate's kernel in a type.
func (c *candidate) kernel(t shaders.Type, constants shaders.Constants) shaders.Kernel {
	k := c.Kernel(t)
	return k.With(c.with(constants))
}

// with merges the tunables and the other constants, as far as the implementation has them.
func (c *candidate) with(constants shaders.Constants) shaders.Constants {
	all := maps.Clone(c.tunables)
	for _, has := range c.Constants {
		if v, given := constants[has.Name]; given {
			all[has.Name] = v
		}
	}
	return all
}

// eligible returns the candidates for a call, without the default; it names implementations that the engine lacks, and counts
// candidates that reject the call.
func (s *search) eligible(scope *bench.Scope) (list []candidate, lacking []string, refused int) {
	library := s.v.Bool("library")
	for _, c := range candidates(s.op.of(s.byDefault.Type), s.bench.Engine.Info().Untuned) {
		k := c.kernel(s.byDefault.Type, s.constants)
		call := k.Call(s.params)
		switch {
		case k.ID() == s.byDefault.ID() || slices.Contains(lacking, c.Shown()):
			continue
		case c.Library != shaders.Own && (!library || !scope.MayHave(c.Library)):
			continue
		case k.Check(s.params) != nil, c.Suits != nil && c.Suits(call) != nil:
			refused++
			continue
		}
		if scope.SupportsWith(shaders.Pick{Op: s.op.Name, Impl: c.Name, Type: k.Type}, nil) != nil {
			lacking = append(lacking, c.Shown())
			continue
		}
		list = append(list, c)
	}
	return list, lacking, refused
}

// thinned returns at most n of the candidates: the defaults of each implementation, and random others.
func thinned(list []candidate, n int, seed uint64) []candidate {
	if len(list) <= n {
		return list
	}
	order := rand.New(rand.NewPCG(seed, 120)).Perm(len(list))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].changed(), list[b].changed()) })
	order = order[:n]
	slices.Sort(order)
	few := make([]candidate, n)
	for i, at := range order {
		few[i] = list[at]
	}
	return few
}

// changed returns 0 for the defaults of an implementation, and otherwise 1.
func (c *candidate) changed() int {
	if k := c.kernel(c.Types[0], nil); k.Key() == "" {
		return 0
	}
	return 1
}
