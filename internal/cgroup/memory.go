package cgroup

import "path/filepath"

// Memory is a limit on memory, in bytes.
type Memory struct {
	Limit     int64  // the smallest from the group up to the root
	Available int64  // what the group closest to its limit has left
	Source    string // the file of Limit
}

// none is above any real limit; version 1 reports a huge number if there is no limit.
const none = 1 << 60

// Memory returns the limit on this process's memory; false if there is none.
func (g Groups) Memory() (Memory, bool) {
	var m Memory
	for _, f := range g.memory {
		name := "memory.limit_in_bytes"
		if f.v2 {
			name = "memory.max"
		}
		limit, ok := f.number(name)
		if !ok || limit >= none {
			continue
		}
		left, first := max(0, limit-f.used()), m.Source == ""
		if first || limit < m.Limit {
			m.Limit, m.Source = limit, filepath.Join(f.path, name)
		}
		if first || left < m.Available {
			m.Available = left
		}
	}
	return m, m.Source != ""
}

// used returns what the group's processes use, without cached file pages: the kernel drops these before an allocation fails. The
// "file" line of memory.stat cannot serve for that, since it includes shared memory.
func (f folder) used() int64 {
	name, cached := "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}
	if f.v2 {
		name, cached = "memory.current", []string{"inactive_file", "active_file"}
	}
	used, _ := f.number(name)
	return max(0, used-f.stat("memory.stat", cached...))
}
