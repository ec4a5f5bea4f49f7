package monitor

import (
	"context"
	"fmt"
	"math/bits"
)

// vmPressure is the memory pressure reported by macOS's kernel.
type vmPressure struct {
	level    int // 1 normal, 2 warning, 4 critical
	told     int // bitwise OR of the levels notified since the previous read; 0: none
	levelErr error
	free     int // percent of memory that is still available
	freeErr  error
}

// vmPressureReader reads the kernel's memory pressure.
type vmPressureReader interface{ read() vmPressure }

// vmPressureSource reads memory pressure on macOS. The level is polled, because notifications are only sent for changes.
// Notifications are used as well, because a level may come and go between two ticks.
type vmPressureSource struct {
	open   func() vmPressureReader
	reader vmPressureReader
	stall  Reading
	level  Reading
	free   Reading
	out    [3]Reading
}

func newVMPressureSource(open func() vmPressureReader) *vmPressureSource {
	const level, free = "sysctl kern.memorystatus_vm_pressure_level", "sysctl kern.memorystatus_level"
	return &vmPressureSource{
		open:  open,
		stall: Template(MemoryPressure, level),
		level: Template(MemoryPressureLevel, level),
		free:  Template(HostMemoryFree, free),
	}
}

func (s *vmPressureSource) Name() string { return "memory pressure" }

func (s *vmPressureSource) Read(context.Context) []Reading {
	if s.reader == nil {
		s.reader = s.open()
	}
	p := s.reader.read()
	s.out = [...]Reading{s.stall.unavailable(noStalls), s.readLevel(p), s.readFree(p)}
	return s.out[:]
}

const noStalls = "macOS does not measure stalls; it reports a memory pressure level instead"

func (s *vmPressureSource) readLevel(p vmPressure) Reading {
	if p.levelErr != nil {
		return s.level.without(p.levelErr)
	}
	r, worst := s.level, p.worst()
	if worst != p.level {
		r.Source = "dispatch memory pressure source" // it is over by now
	}
	text, ok := pressureLevel(worst)
	if !ok {
		return r.failed(fmt.Sprintf("%s: unknown level %d", r.Source, worst))
	}
	return r.reported(text)
}

// worst is the worst level since the previous read: levels are single bits, and higher bits are worse.
func (p vmPressure) worst() int {
	return max(p.level, 1<<bits.Len(uint(max(p.told, 0)))>>1)
}

// pressureLevel is a level of the kernel as a State.
func pressureLevel(level int) (text State, ok bool) {
	switch level {
	case 1:
		return Normal, true
	case 2:
		return Warning, true
	case 4:
		return Critical, true
	}
	return "", false
}

func (s *vmPressureSource) readFree(p vmPressure) Reading {
	switch {
	case p.freeErr != nil:
		return s.free.without(p.freeErr)
	case p.free < 0 || p.free > 100:
		return s.free.failed(s.free.Source + " is not a percentage")
	}
	return s.free.ok(float64(p.free) / 100)
}
