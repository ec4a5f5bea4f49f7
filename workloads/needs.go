package workloads

import (
	"errors"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/shaders"
)

// Need is what a device must have for a workload, or a value of a parameter, to measure anything: one of some kernels, or an
// ability of its engine.
type Need struct {
	// Kernels are alternatives: the engine must run at least one.
	Kernels []shaders.Kernel
	// Ability returns the ErrUnsupported of an engine that lacks it; nil: the need is for kernels.
	Ability func(gpu.Engine) error
}

// missing returns what the engine lacks; nil: the need is met.
func (n *Need) missing(e gpu.Engine) error {
	if n.Ability != nil {
		return n.Ability(e)
	}
	var first error
	for _, k := range n.Kernels {
		err := Supports(e, k)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// Supports returns an error that says why the engine cannot run the kernel, or nil if it can. Tunables that the engine ignores are
// an error, since a measurement would show a difference where there is none.
func Supports(e gpu.Engine, k shaders.Kernel) error {
	info := e.Info()
	if tuned := k.Tuned(); len(tuned) > 0 && info.Untuned {
		need := map[bool]string{true: "needs", false: "need"}[len(tuned) == 1]
		return gpu.Errorf(gpu.ErrUnsupported, "dispatch", k.Name, "%s %s threadgroups, which this engine does not have", strings.Join(tuned, " and "), need)
	}
	return e.Supports(k)
}

// Missing is something that a device cannot measure in a workload: all of it, or one value of a parameter.
type Missing struct {
	Param, Value string // empty: the whole workload
	Why          string // "Apple M1 does not have bfloat"
}

// Lacks lists what one device cannot measure in one workload.
type Lacks []Missing

// Lacks lists what the engine's device cannot measure in the workload, as far as it is known before a run.
func (w *Workload) Lacks(e gpu.Engine) Lacks {
	var list Lacks
	if why := lackOf(w.Needs, e); why != "" {
		list = append(list, Missing{Why: why})
	}
	for i := range w.Params {
		p := &w.Params[i]
		first, one, none := "", false, true
		for j := range p.Choices {
			c := &p.Choices[j]
			why := lackOf(c.Needs, e)
			if why != "" {
				list = append(list, Missing{p.Name, c.Value, why})
				first = why
			}
			alone := c.Each == nil && c.Value != p.All
			one, none = one || alone, none && (why != "" || !alone)
		}
		if one && none && p.Role == RoleCase { // nothing is left to choose
			list = append(list, Missing{Why: first})
		}
	}
	return list
}

// lackOf returns why needs are not met; empty if they are, or if the engine cannot be asked.
func lackOf(needs []Need, e gpu.Engine) string {
	for i := range needs {
		err := needs[i].missing(e)
		if !errors.Is(err, gpu.ErrUnsupported) {
			continue
		}
		var seam *gpu.Error
		if errors.As(err, &seam) && seam.Detail != "" {
			return seam.Detail
		}
		return err.Error()
	}
	return ""
}

// Whole returns why nothing of the workload can be measured; empty: something can.
func (l Lacks) Whole() string { return l.Of("", "") }

// Of returns why a value of a parameter cannot be measured; empty: it can.
func (l Lacks) Of(param, value string) string {
	for i := range l {
		if l[i].Param == param && l[i].Value == value {
			return l[i].Why
		}
	}
	return ""
}

// Refuse returns the error for values that the device of an engine, named by its title, cannot measure; nil: it can measure them, at least in part.
func (l Lacks) Refuse(w *Workload, v Values, engine string) error {
	if why := l.Whole(); why != "" {
		return fmt.Errorf("not available on %s: %s", engine, why)
	}
	for i := range w.Params {
		p := &w.Params[i]
		value, _ := v[p.Name].(string)
		if why := l.Of(p.Name, value); why != "" && value != "" && w.Unused(p, v) == "" {
			return &ParamError{Params: []string{p.Name}, Text: fmt.Sprintf("{%s} %s is not available on %s: %s", p.Name, value, engine, why)}
		}
	}
	return nil
}
