package clang

import (
	"assay/gpu/msl/shim/cpu"
	"assay/gpu/msl/shim/cuda"
)

// NamedTarget is a kind of machine that users can choose.
type NamedTarget struct {
	Name string // as typed
	Full string // in a sentence
	Target
}

// Targets are the kinds of machines, the default first.
func Targets() []NamedTarget {
	return []NamedTarget{{"cpu", "the CPU", cpu.Target{}}, {"cuda", "NVIDIA GPUs", cuda.Target{}}}
}
