package bench

import (
	"slices"
	"strings"

	"assay/shaders"
	"assay/workloads"
)

// FoundKernel is the axis of the kernels that a variant ran, each with why it was chosen, for workloads that named no implementation. The
// bench sets it.
func FoundKernel() workloads.Axis {
	return workloads.Axis{Name: workloads.KernelAxis, Title: "Kernel", Measured: true}
}

// runner is Work that knows the IDs of its kernels, each with the reason for its choice.
type runner interface{ kernels() []string }

// chooser is Work that knows its kernels, each listed once, and why they were chosen.
type chooser interface {
	choices() []workloads.KernelChoice
}

func (l *launches) choices() []workloads.KernelChoice {
	var all []workloads.KernelChoice
	for i := range l.sets[0] {
		if d := &l.sets[0][i]; d.Kernel != nil {
			all = addChoices(all, workloads.KernelChoice{Kernel: d.Kernel.Spec().ID(), Why: d.Why})
		}
	}
	return all
}

func (r *Renewed) choices() []workloads.KernelChoice { return choicesOf(r.set) }

func (s *streams) choices() []workloads.KernelChoice {
	var all []workloads.KernelChoice
	for _, w := range s.works {
		all = addChoices(all, choicesOf(w)...)
	}
	return all
}

// tellKernels reports the kernels that results rest on. A case that was discarded and measured again counts once.
func (b *Bench) tellKernels(rs []workloads.Result) {
	if b.Ran == nil {
		return
	}
	for i := range rs {
		if used := b.used[[2]string{rs[i].Case, rs[i].Variant}]; len(used) > 0 {
			b.Ran(used)
		}
	}
}

func choicesOf(w Work) []workloads.KernelChoice {
	if c, ok := w.(chooser); ok {
		return c.choices()
	}
	return nil
}

func addChoices(all []workloads.KernelChoice, more ...workloads.KernelChoice) []workloads.KernelChoice {
	for _, c := range more {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

func (l *launches) kernels() []string {
	var all []string
	for _, c := range l.choices() {
		text := c.Kernel
		if c.Why != "" {
			text += " (" + c.Why + ")"
		}
		all = append(all, text)
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

// arithmetic returns the format of the kernel with most of the operations; empty: the work has none, or they are not known.
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
