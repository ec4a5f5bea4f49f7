package bench

import (
	"slices"
	"strings"

	"assay/workloads"
)

// FoundKernel is the axis of the kernels that a variant ran, and of why these, where the workload named no implementation. The
// bench sets it.
func FoundKernel() workloads.Axis {
	return workloads.Axis{Name: "kernel", Title: "Kernel", Measured: true}
}

// runner is Work that knows the IDs of its kernels.
type runner interface{ kernels() []string }

func (l *launches) kernels() []string {
	var all []string
	for i := range l.sets[0] {
		if id := l.sets[0][i].Kernel.Spec().ID(); !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// kernels adds the setting of FoundKernel, if the workload has that axis.
func (b *Bench) kernels(w Work, settings []workloads.Setting) []workloads.Setting {
	axis := FoundKernel().Name
	r, known := w.(runner)
	if !known || !b.Workload.Axis(axis).Measured {
		return settings
	}
	all := r.kernels()
	for i, id := range all {
		if why := b.why[id]; why != "" {
			all[i] = id + " (" + why + ")"
		}
	}
	return append(settings, workloads.Setting{Name: axis, Value: strings.Join(all, " and ")})
}
