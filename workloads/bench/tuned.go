package bench

import (
	"maps"
	"slices"
	"strings"

	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
)

// tunedKernel is a kernel used in place of the default, and why.
type tunedKernel struct {
	kernel shaders.Kernel
	why    string
}

// tuned returns the kernel that tuning chose for a call, if the run uses tuned kernels and the pick leaves the choice open.
func (s *Scope) tuned(pick shaders.Pick, byDefault *shaders.Kernel, params any) (tunedKernel, bool) {
	if s.bench.Tuned == nil || pick.Impl != "" && !pick.Tuned {
		return tunedKernel{}, false
	}
	t, found := s.bench.Tuned(byDefault, params)
	if !found || !t.Kept() || pick.Impl != "" && pick.Impl != t.Impl {
		return tunedKernel{}, false
	}
	k, err := catalog.Pick(shaders.Pick{Op: pick.Op, Impl: t.Impl, Type: pick.Type})
	if err != nil {
		return tunedKernel{}, false
	}
	constants := shaders.Constants{}
	maps.Copy(constants, semantic(byDefault))
	maps.Copy(constants, t.Tunables)
	k = k.With(constants)
	if k.Check(params) != nil || s.supports(k) != nil {
		return tunedKernel{}, false
	}
	return tunedKernel{k, t.Why()}, true
}

// semantic returns the constants of a kernel that change what is computed.
func semantic(k *shaders.Kernel) shaders.Constants {
	all := maps.Clone(k.Constants())
	for _, t := range k.Impl.Tunables {
		delete(all, t.Name)
	}
	return all
}

// Default returns the kernel that a call runs if nothing is named and nothing tuned, and why.
func (s *Scope) Default(op string, t shaders.Type, c shaders.Constants, params any) (shaders.Kernel, string, error) {
	hold := s.bench.Tuned
	s.bench.Tuned = nil
	defer func() { s.bench.Tuned = hold }()
	return s.choose(shaders.Pick{Op: op, Type: t}, c, params)
}

// tunedText names the kernels of the work that tuning chose, and how much faster each was; empty: none.
func tunedText(w Work) string {
	r, known := w.(runner)
	if !known {
		return ""
	}
	var all []string
	for _, k := range r.kernels() {
		id, why, _ := strings.Cut(strings.TrimSuffix(k, ")"), " ("+workloads.TunedPrefix)
		if why != "" && !slices.Contains(all, id+": "+why) {
			all = append(all, id+": "+why)
		}
	}
	return strings.Join(all, "; ")
}
