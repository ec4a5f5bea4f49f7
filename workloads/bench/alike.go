package bench

import (
	"fmt"

	"assay/gpu"
	"assay/shaders"
)

// alike are the operands that the variants of a scope share.
type alike struct {
	shared   map[string]gpu.Buffer     // by name, which is that of the buffer's kind with how many of it the variant had before
	variants map[string]map[string]int // how many of each kind a variant has
	now      map[string]int            // of the variant that is built
	at       int                       // the set that samples have come to
}

// For begins, or goes on with, building a variant that does the same as others of the scope: the first, second … random operand of a
// label, type and size that it asks for is theirs, and so is each Output. Where buffers lie in memory makes one and the same kernel a
// few percent faster or slower, for as long as they are there; variants are compared on the same ones. Where these are several sets, one
// variant goes on in them where another has stopped; see Launches.
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

// have is the buffer of that kind that another variant has and this one asks for; nil: none has.
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

// keep is for other variants.
func (a *alike) keep(kind string, b gpu.Buffer) {
	if a == nil {
		return
	}
	a.shared[a.name(kind)] = b
	a.now[kind]++
}

func (a *alike) name(kind string) string { return fmt.Sprintf("%s, %d", kind, a.now[kind]) }

// Output is a buffer of n elements that a repetition writes before it reads it. Variants built by For share it, except in a short
// measurement, which checks what all have left at its end.
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
