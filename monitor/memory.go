package monitor

import (
	"bytes"
	"errors"
	"fmt"
)

// memory is the host's memory and swap in bytes.
type memory struct {
	total, available    uint64
	swapTotal, swapFree uint64
	estimated           bool // available was derived, because the kernel does not report it
}

// decodeMeminfo reads /proc/meminfo, lines of "MemTotal:       24684084 kB". Kernels before 3.14 do not report the
// memory available without swapping; then it is free + buffers + page cache.
func decodeMeminfo(b []byte) (memory, error) {
	var m memory
	var free, buffers, cached uint64
	fields := []struct {
		key   string
		to    *uint64
		found bool
	}{
		{key: "MemTotal:", to: &m.total},
		{key: "MemAvailable:", to: &m.available},
		{key: "MemFree:", to: &free},
		{key: "Buffers:", to: &buffers},
		{key: "Cached:", to: &cached},
		{key: "SwapTotal:", to: &m.swapTotal},
		{key: "SwapFree:", to: &m.swapFree},
	}
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		for i := range fields {
			f := &fields[i]
			if f.found || !bytes.HasPrefix(l, []byte(f.key)) {
				continue
			}
			kb, _, ok := number(l[len(f.key):])
			if !ok || kb > 1<<53 {
				return memory{}, fmt.Errorf("/proc/meminfo: %s has no size", f.key)
			}
			*f.to, f.found = kb*1024, true
		}
	}
	if m.total == 0 {
		return memory{}, errors.New("/proc/meminfo has no MemTotal")
	}
	if !fields[1].found {
		if !fields[2].found {
			return memory{}, errors.New("/proc/meminfo has neither MemAvailable nor MemFree")
		}
		m.available, m.estimated = free+buffers+cached, true
	}
	return m.clamped(), nil
}

// clamped keeps parts within their totals: the kernel counts them at slightly different moments.
func (m memory) clamped() memory {
	m.available = min(m.available, m.total)
	m.swapFree = min(m.swapFree, m.swapTotal)
	return m
}

// memoryTemplates are the memory readings without values.
type memoryTemplates struct{ used, full, total, swapped, growth Reading }

func newMemoryTemplates(source, swapSource string) memoryTemplates {
	return memoryTemplates{
		used: Template(HostMemory, source), full: Template(HostMemoryFull, source), total: Template(HostMemoryTotal, source),
		swapped: Template(HostSwap, swapSource), growth: Template(HostSwapGrowth, swapSource),
	}
}

// noSwap is the reason why a machine without swap space has no swap readings.
const noSwap = "this machine has no swap space"
