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
	Detail    string // what was seen, if it is available
	Reason    string // why it is not
}

// check finds out about one ability: what was seen, or ErrUnsupported if the engine does not offer it.
type check struct {
	name, title string
	try         func(ctx context.Context, e gpu.Engine) (string, error)
}

// checks lists all: another is a function and a line.
func checks() []check {
	return []check{
		{"no_copy", "Caller's memory without a copy", noCopy},
		{"stage_times", "A time for each stage of a program", stageTimes},
		{"concurrent", "Independent launches side by side", concurrent},
		{"compile_log", "A log of compiled kernels", compileLog},
		{"recompile", "Recompiling a kernel, to time it", recompile},
		{"device_memory", "The device's own count of memory", deviceMemory},
		{"device_loss", "Lost-device detection", deviceLoss},
		{"capture", "Captures for a debugger", capture},
		{"trace", "Traces by the system's profiler", trace},
		{"devices", "A choice of devices", devices},
	}
}

// Abilities tries all. It allocates less than a megabyte and releases it; whoever measures must not do so meanwhile.
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

// reason says of what is not offered only why; what is offered and does not work has failed.
func reason(err error) string {
	var seam *gpu.Error
	if errors.As(err, &seam) && errors.Is(seam.Kind, gpu.ErrUnsupported) && seam.Detail != "" {
		return seam.Detail
	}
	return "it failed: " + err.Error()
}

// offered is e as a T, or an ErrUnsupported that says what the engine does instead.
func offered[T any](e gpu.Engine, otherwise string) (T, error) {
	found, ok := gpu.As[T](e)
	if !ok {
		return found, gpu.Errorf(gpu.ErrUnsupported, "probe", "", "%s", otherwise)
	}
	return found, nil
}
