package cgroup

import (
	"os"
	"path/filepath"
)

// Pressure is how close this process is to its memory limits, and the effects.
type Pressure struct {
	Share  float64 // share of its limit or high mark used by the group closest to it, without cached file pages
	Source string  // the file of that limit
	Stalls string  // the innermost group's memory.pressure; empty without one
	// How often the kernel reclaimed memory or slowed the groups down at their limits, and how often it killed a process, since the
	// groups were created.
	Reclaims, Kills int64
}

// Pressure reads the memory pressure; false if there are no limits.
func (g Groups) Pressure() (Pressure, bool) {
	var p Pressure
	for _, f := range g.memory {
		limit, name := f.limit()
		if name == "" {
			continue
		}
		if share := float64(f.used()) / float64(max(limit, 1)); p.Source == "" || share > p.Share {
			p.Share, p.Source = share, filepath.Join(f.path, name)
		}
		p.Reclaims += f.reclaims()
		p.Kills += f.kills()
	}
	if p.Source == "" {
		return Pressure{}, false
	}
	for _, f := range g.memory {
		stalls := filepath.Join(f.path, "memory.pressure")
		if _, err := os.Stat(stalls); err == nil && f.v2 {
			p.Stalls = stalls
			break
		}
	}
	return p, true
}

// limit returns the bytes at which the kernel begins to reclaim memory or to fail allocations, and the file; empty: none.
func (f folder) limit() (bytes int64, name string) {
	names := []string{"memory.limit_in_bytes"}
	if f.v2 {
		names = []string{"memory.max", "memory.high"}
	}
	for _, n := range names {
		if v, ok := f.number(n); ok && v < none && (name == "" || v < bytes) {
			bytes, name = v, n
		}
	}
	return bytes, name
}

func (f folder) reclaims() int64 {
	if f.v2 {
		return f.stat("memory.events", "high", "max")
	}
	n, _ := f.number("memory.failcnt")
	return n
}

func (f folder) kills() int64 {
	if f.v2 {
		return f.stat("memory.events", "oom_kill")
	}
	return f.stat("memory.oom_control", "oom_kill")
}
