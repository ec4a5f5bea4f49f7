package bench

import (
	"slices"
	"strings"

	"assay/shaders"
	"assay/workloads"
)

// FoundKernel is the axis of the kernels that a variant ran, and of why these, where the workload named no implementation. The
// bench sets it.
func FoundKernel() workloads.Axis {
	return workloads.Axis{Name: "kernel", Title: "Kernel", Measured: true}
}

// runner is Work that knows the IDs of its kernels, each with why it was chosen.
type runner interface{ kernels() []string }

func (l *launches) kernels() []string {
	var all []string
	for i := range l.sets[0] {
		text := l.sets[0][i].Kernel.Spec().ID()
		if why := l.sets[0][i].Why; why != "" {
			text += " (" + why + ")"
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

func (r *Renewed) kernels() []string { return r.set.(runner).kernels() }

// kernels adds the setting of FoundKernel, if the workload has that axis.
func (b *Bench) kernels(w Work, settings []workloads.Setting) []workloads.Setting {
	axis := FoundKernel().Name
	r, known := w.(runner)
	if !known || !b.Workload.Axis(axis).Measured {
		return settings
	}
	return append(settings, workloads.Setting{Name: axis, Value: strings.Join(r.kernels(), "; ")})
}

// arithmetic is the format of the kernel that has most of the operations; empty: the work has none, or they are not known.
func arithmetic(w Work) string {
	if r, renewed := w.(*Renewed); renewed {
		w = r.set
	}
	l, known := w.(*launches)
	if !known {
		return ""
	}
	ops := map[shaders.Type]float64{}
	most, format := 0.0, ""
	for i := range l.sets[0] {
		spec := l.sets[0][i].Kernel.Spec()
		ops[spec.Type] += spec.Cost(l.sets[0][i].Params).Ops
		if ops[spec.Type] > most {
			most, format = ops[spec.Type], spec.Type.String()
		}
	}
	return format
}
