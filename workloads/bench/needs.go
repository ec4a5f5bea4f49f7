package bench

import (
	"runtime"

	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
)

// MayHave reports whether a library is of the engine's kind and for this system, although it may not be installed.
func (b *Bench) MayHave(l shaders.Library) bool {
	return l.Engine() == b.Engine.Info().Engine && l.MayBeOn(runtime.GOOS)
}

// NeedsImpl returns the need for an implementation, in any of its types.
func NeedsImpl(m *shaders.Impl) workloads.Need {
	var need workloads.Need
	for _, t := range m.Types {
		need.Kernels = append(need.Kernels, m.Kernel(t))
	}
	return need
}

// Ops returns the needs of a number format.
type Ops func(shaders.Type) []workloads.Need

// AllOf needs a kernel for each of these operations. Operations without a source in the format are left out.
func AllOf(ops ...string) Ops {
	return func(t shaders.Type) []workloads.Need {
		var needs []workloads.Need
		for _, op := range ops {
			needs = append(needs, OneOf(op)(t)...)
		}
		return needs
	}
}

// OneOf needs a kernel for any one of these operations.
func OneOf(ops ...string) Ops {
	return func(t shaders.Type) []workloads.Need {
		var need workloads.Need
		for _, op := range ops {
			need.Kernels = append(need.Kernels, sourced(t, op)...)
		}
		if len(need.Kernels) == 0 {
			return nil
		}
		return []workloads.Need{need}
	}
}

// sourced lists the kernels of an operation in a type that have a source: whether a library is present is known only once it has been opened.
func sourced(t shaders.Type, op string) []shaders.Kernel {
	var list []shaders.Kernel
	for _, k := range catalog.Default().Op(op) {
		if k.Type == t && k.Impl.Library == shaders.Own {
			list = append(list, k)
		}
	}
	return list
}

// Formats returns the options of a parameter that chooses the number format, with what a device must have to measure in each.
func Formats(needs Ops, names ...string) []workloads.Option {
	options := workloads.Options(names...)
	for i := range options {
		for _, t := range Types(options[i].Value) {
			options[i].Needs = append(options[i].Needs, needs(t)...)
		}
	}
	return options
}
