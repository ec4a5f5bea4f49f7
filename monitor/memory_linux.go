package monitor

import (
	"context"
	"time"

	"assay/internal/cgroup"
)

// memorySource reads /proc/meminfo, and the limit of a control group if that is smaller than the machine's memory.
type memorySource struct {
	meminfo *file
	groups  cgroup.Groups
	swap    rate
	memoryTemplates
	out [5]Reading
}

func newMemorySource(r roots) *memorySource {
	return &memorySource{
		meminfo: r.procFile("meminfo", 4096), groups: cgroup.Open(r.proc, r.sys), memoryTemplates: newMemoryTemplates("/proc/meminfo", "/proc/meminfo"),
	}
}

func (s *memorySource) Name() string { return "memory" }

func (s *memorySource) Read(context.Context) []Reading {
	b, err := s.meminfo.read()
	var m memory
	if err == nil {
		m, err = decodeMeminfo(b)
	}
	if err != nil {
		s.out = [...]Reading{
			s.used.without(err), s.full.without(err), s.total.without(err),
			s.swapped.without(err), s.growth.without(err),
		}
		return s.out[:]
	}
	value := Reading.ok
	if m.estimated {
		value = Reading.estimated
	}
	t := s.memoryTemplates
	if limit, limited := s.groups.Memory(); limited && uint64(limit.Limit) < m.total {
		m.total, m.available = uint64(limit.Limit), min(m.available, uint64(limit.Available))
		t.used.Source, t.full.Source, t.total.Source = limit.Source, limit.Source, limit.Source
	}
	used := float64(m.total - m.available)
	swap, growth := s.swapReadings(m)
	s.out = [...]Reading{
		value(t.used, used), value(t.full, used/float64(m.total)), t.total.ok(float64(m.total)), swap, growth,
	}
	return s.out[:]
}

func (s *memorySource) swapReadings(m memory) (used, growth Reading) {
	t := &s.memoryTemplates
	if m.swapTotal == 0 {
		return t.swapped.unavailable(noSwap), t.growth.unavailable(noSwap)
	}
	bytes := float64(m.swapTotal - m.swapFree)
	perSecond, ok := s.swap.next(bytes, time.Now())
	if !ok {
		return t.swapped.ok(bytes), t.growth.unavailable(needsTwo)
	}
	return t.swapped.ok(bytes), t.growth.ok(perSecond)
}
