package app

import (
	"context"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/gpu/probe"
	"assay/internal/si"
	"assay/workloads"
)

// Ability is what an engine offers beyond what every engine has, as tried on its device.
type Ability = probe.Ability

// Capability is a fact about a device: its value, or why it is not known.
type Capability struct{ Title, Value, Why string }

// Capabilities returns what is known of a device without trying anything on it.
func Capabilities(i *gpu.Info) []Capability {
	quantity := func(title string, v float64, unit, why string) Capability {
		if v <= 0 {
			return Capability{title, "", why}
		}
		return Capability{title, si.Format(v, unit), ""}
	}
	memory := "its own, apart from the host’s"
	if i.Unified {
		memory = "shared with the host"
	}
	spec := workloads.SpecOf(i)
	cores := Capability{"Cores", "", "not reported by the device"}
	if i.Cores > 0 {
		cores = Capability{"Cores", si.Count(i.Cores), ""}
	}
	all := []Capability{
		generation(i), cores,
		{"Memory", memory, ""},
		quantity("Largest buffer", float64(i.MaxBuffer), "B", "not reported by the device"),
		quantity("Working set", float64(i.WorkingSet), "B", "the device does not report how much can be live without penalty"),
		quantity("Last-level cache", float64(i.LastLevelCache), "B", "not reported by the device"),
		quantity("Bandwidth by specification", i.Bandwidth, "B/s", "no specification is known for it"),
		{"Arithmetic by specification", spec.String(), "no published rate is known for it"},
		{"Times", i.Clock, ""},
		{"Features", strings.Join(i.Features, ", "), "none are reported"},
	}
	all = append(all, unmeasured(i)...)
	for k := range all {
		if all[k].Value != "" {
			all[k].Why = ""
		}
	}
	return all
}

// unmeasured lists what people look for on such a device, and why it is missing.
func unmeasured(i *gpu.Info) []Capability {
	switch {
	case i.Family > 0:
		return []Capability{
			{"Compute on the neural engine", "", "Assay computes on the GPU and the CPU; it reads the neural engine’s power only"},
			{"Occupancy", "", "Metal exposes no occupancy counter to apps; Xcode shows it for a capture"},
		}
	case i.Compute > 0 && i.Compute < 90:
		return []Capability{{"Occupancy", "", "the driver reports it from Hopper on (compute capability 9.0)"}}
	}
	return nil
}

// generation returns the generation of the device's kind of GPU.
func generation(i *gpu.Info) Capability {
	switch {
	case i.Family > 0:
		return Capability{"Family", fmt.Sprintf("Apple %d", i.Family), ""}
	case i.Compute > 0:
		return Capability{"Compute capability", fmt.Sprintf("%d.%d", i.Compute/10, i.Compute%10), ""}
	case i.GPU:
		return Capability{"Family", "", "not reported by the device"}
	}
	return Capability{"Kind", "a processor, not a GPU", ""}
}

// UseDrill is the use of the device by drills, which run in separate processes.
const UseDrill Use = "a drill"

// Apart keeps the session from measuring while f uses the device in another process.
func (s *Session) Apart(ctx context.Context, f func(context.Context)) error {
	lease, err := s.device.Acquire(ctx, UseDrill)
	if err != nil {
		return err
	}
	defer lease.Release()
	f(ctx)
	return nil
}
