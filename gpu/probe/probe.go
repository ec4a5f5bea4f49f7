// Package probe finds out what an engine offers beyond the required interface: it queries, and tries what is quick to try.
package probe

import (
	"context"
	"errors"

	"assay/gpu"
)

// Ability is something that only some engines offer.
type Ability struct {
	Name      string // stable, for files: "no_copy"
	Title     string
	Available bool
	Detail    string // what was observed, if it is available
	Reason    string // why it is not available
}

// check examines one ability: it returns what was observed, or ErrUnsupported if the engine does not offer it.
type check struct {
	name, title string
	try         func(ctx context.Context, e gpu.Engine) (string, error)
}

// checks lists all checks; a new one is a function and a line here.
func checks() []check {
	return []check{
		{"no_copy", "Caller's memory without a copy", noCopy},
		{"stage_times", "A time for each stage of a program", stageTimes},
		{"concurrent", "Independent dispatches side by side", concurrent},
		{"compile_log", "A log of compiled kernels", compileLog},
		{"recompile", "Recompiling a kernel, to time it", recompile},
		{"device_memory", "The device's own count of memory", deviceMemory},
		{"device_loss", "Lost-device detection", deviceLoss},
		{"capture", "Captures for a debugger", capture},
		{"trace", "Traces by the system's profiler", trace},
		{"devices", "A choice of devices", devices},
	}
}

// Abilities tries all. It allocates less than a megabyte and releases it; do not measure anything meanwhile.
func Abilities(ctx context.Context, e gpu.Engine) []Ability {
	var all []Ability
	for _, c := range checks() {
		a := Ability{Name: c.name, Title: c.title}
		detail, err := c.try(ctx, e)
		if a.Available = err == nil; a.Available {
			a.Detail = detail
		} else {
			a.Reason = reason(err)
		}
		all = append(all, a)
	}
	return all
}

// reason omits the kind of error of an ability that is not offered; one that is offered but does not work has failed.
func reason(err error) string {
	var seam *gpu.Error
	if errors.As(err, &seam) && errors.Is(seam.Kind, gpu.ErrUnsupported) && seam.Detail != "" {
		return seam.Detail
	}
	return "it failed: " + err.Error()
}

// offered returns e as a T, or an ErrUnsupported that describes what the engine does instead.
func offered[T any](e gpu.Engine, otherwise string) (T, error) {
	found, ok := gpu.As[T](e)
	if !ok {
		return found, gpu.Errorf(gpu.ErrUnsupported, "probe", "", "%s", otherwise)
	}
	return found, nil
}
