package bench

import (
	"fmt"

	"assay/gpu"
	"assay/shaders"
)

// alike are the operands that the variants of a scope share.
type alike struct {
	first    uint64                  // random streams that the scope had before the first variant
	inputs   map[string]gpu.Buffer   // random ones, by key
	outputs  map[string][]gpu.Buffer // by size and label, in the order in which a variant asked for them
	variants map[string]*asked
	now      *asked // of the variant that is built
}

// asked is what a variant has asked for so far.
type asked struct {
	streams uint64
	outputs map[string]int
}

// For begins, or goes on with, building a variant that does the same as others of the scope: the first, second … random operand that it
// asks for is theirs if it is of the same type, size and label, and so is each Output. Where buffers lie in memory makes one
// and the same kernel a few percent faster or slower, for as long as they are there; variants are compared on the same ones.
func (s *Scope) For(variant string) {
	if s.alike == nil {
		s.alike = &alike{first: s.seeds, inputs: map[string]gpu.Buffer{}, outputs: map[string][]gpu.Buffer{}, variants: map[string]*asked{}}
	}
	if now := s.alike.now; now != nil {
		now.streams = s.seeds
	}
	v := s.alike.variants[variant]
	if v == nil {
		v = &asked{streams: s.alike.first, outputs: map[string]int{}}
		s.alike.variants[variant] = v
	}
	s.alike.now, s.seeds = v, v.streams
}

// input is the random operand that an earlier variant asked for; nil: none did.
func (a *alike) input(key string) gpu.Buffer {
	if a == nil {
		return nil
	}
	return a.inputs[key]
}

// keep is for later variants.
func (a *alike) keep(key string, b gpu.Buffer) {
	if a != nil {
		a.inputs[key] = b
	}
}

// Output is a buffer of n elements that a repetition writes before it reads it. Variants built by For share it, except in a short
// measurement, which checks what all have left at its end.
//
//go:noinline
func (s *Scope) Output(t shaders.Type, n int, label string) (gpu.Buffer, error) {
	if s.alike == nil || s.bench.Options.Short {
		return s.Buffer(t, n, label)
	}
	key := fmt.Sprintf("%v × %d, %s", t, n, label)
	taken := s.alike.now.outputs[key]
	if taken == len(s.alike.outputs[key]) {
		b, err := s.Buffer(t, n, label)
		if err != nil {
			return nil, err
		}
		s.alike.outputs[key] = append(s.alike.outputs[key], b)
	}
	s.alike.now.outputs[key] = taken + 1
	return s.alike.outputs[key][taken], nil
}
