package monitor

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// pressureSource reads /proc/pressure.
type pressureSource struct {
	memory, cpu, io *file
	some, full      Reading
	cpuSome, ioSome Reading
	out             [4]Reading
}

func newPressureSource(r roots) *pressureSource {
	return &pressureSource{
		memory:  r.procFile("pressure/memory", 256),
		cpu:     r.procFile("pressure/cpu", 256),
		io:      r.procFile("pressure/io", 256),
		some:    Template(MemoryPressure, "/proc/pressure/memory"),
		full:    Template(MemoryPressureFull, "/proc/pressure/memory"),
		cpuSome: Template(CPUPressure, "/proc/pressure/cpu"),
		ioSome:  Template(IOPressure, "/proc/pressure/io"),
	}
}

func (s *pressureSource) Name() string { return "pressure" }

func (s *pressureSource) Read(context.Context) []Reading {
	memory, err := readPressure(s.memory)
	some, full := pressed(s.some, memory.some, err), pressed(s.full, memory.full, err)
	if err == nil && !memory.hasFull {
		full = s.full.unavailable("the kernel does not report it")
	}
	cpu, cpuErr := readPressure(s.cpu)
	io, ioErr := readPressure(s.io)
	s.out = [...]Reading{some, full, pressed(s.cpuSome, cpu.some, cpuErr), pressed(s.ioSome, io.some, ioErr)}
	return s.out[:]
}

func readPressure(f *file) (pressure, error) {
	b, err := f.read()
	if err != nil {
		return pressure{}, err
	}
	return decodePressure(b)
}

// pressed is the reading of a pressure, or the reason why there is none.
func pressed(r Reading, ratio float64, err error) Reading {
	switch {
	case err == nil:
		return r.ok(ratio)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EOPNOTSUPP):
		return r.unavailable(pressureOff)
	case errors.Is(err, fs.ErrPermission):
		return r.without(err)
	}
	return r.failed(r.Source + ": " + err.Error())
}
