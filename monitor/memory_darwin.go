package monitor

import (
	"context"
	"time"

	"github.com/shirou/gopsutil/v3/mem"
)

// memorySource reads the host's total memory and its swap. How much memory is in use is left out: gopsutil's figure
// ignores the memory compressor and is off by gigabytes.
type memorySource struct {
	swap rate
	memoryTemplates
}

func newMemorySource() *memorySource {
	return &memorySource{memoryTemplates: newMemoryTemplates("host_statistics", "sysctl vm.swapusage")}
}

func (s *memorySource) Name() string { return "memory" }

func (s *memorySource) Read(ctx context.Context) []Reading {
	used, growth := s.readSwap(ctx)
	return []Reading{
		s.used.unavailable(noMemoryReader), s.full.unavailable(noMemoryReader), s.readTotal(ctx), used, growth,
	}
}

const noMemoryReader = "the macOS memory reader is not part of this version"

func (s *memorySource) readTotal(ctx context.Context) Reading {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return s.total.without(err)
	}
	return s.total.ok(float64(m.Total))
}

func (s *memorySource) readSwap(ctx context.Context) (used, growth Reading) {
	m, err := mem.SwapMemoryWithContext(ctx)
	if err != nil {
		return s.swapped.without(err), s.growth.without(err)
	}
	perSecond, ok := s.swap.next(float64(m.Used), time.Now())
	if !ok {
		return s.swapped.ok(float64(m.Used)), s.growth.unavailable(needsTwo)
	}
	return s.swapped.ok(float64(m.Used)), s.growth.ok(perSecond)
}
