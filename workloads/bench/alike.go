package bench

import (
	"fmt"

	"assay/gpu"
	"assay/shaders"
)

// alike holds the operands that the variants of a scope share.
type alike struct {
	shared   map[string]gpu.Buffer     // by name: the buffer's kind and how many of that kind the variant had before
	variants map[string]map[string]int // how many of each kind a variant has
	now      map[string]int            // for the variant being built
	at       int                       // the set that samples have reached
}

// For starts, or continues, building a variant that does the same work as other variants of the scope: the first, second … random operand of a
// given label, type and size that it requests is shared with them, and so is each Output. Buffer placement makes the same kernel a
// few percent faster or slower for as long as the buffers live, so variants are compared on the same buffers. If these come in several sets, one
// variant continues in them where another has stopped; see Launches.
func (s *Scope) For(variant string) {
	if s.alike == nil {
		s.alike = &alike{shared: map[string]gpu.Buffer{}, variants: map[string]map[string]int{}}
	}
	a := s.alike
	if a.variants[variant] == nil {
		a.variants[variant] = map[string]int{}
	}
	a.now = a.variants[variant]
}

// have returns the buffer of that kind that another variant has and this one requests; nil: none has one.
func (a *alike) have(kind string) gpu.Buffer {
	if a == nil {
		return nil
	}
	b := a.shared[a.name(kind)]
	if b != nil {
		a.now[kind]++
	}
	return b
}

// keep makes a buffer available to other variants.
func (a *alike) keep(kind string, b gpu.Buffer) {
	if a == nil {
		return
	}
	a.shared[a.name(kind)] = b
	a.now[kind]++
}

func (a *alike) name(kind string) string { return fmt.Sprintf("%s, %d", kind, a.now[kind]) }

// Output returns a buffer of n elements that a repetition writes before it reads it. Variants built with For share it, except in a short
// measurement, which checks the outputs of all variants at its end.
//
//go:noinline
func (s *Scope) Output(t shaders.Type, n int, label string) (gpu.Buffer, error) {
	if s.alike == nil || s.bench.Options.Short {
		return s.Buffer(t, n, label)
	}
	kind := fmt.Sprintf("output %v × %d, %s", t, n, label)
	if b := s.alike.have(kind); b != nil {
		return b, nil
	}
	b, err := s.Buffer(t, n, label)
	if err != nil {
		return nil, err
	}
	s.alike.keep(kind, b)
	return b, nil
}
