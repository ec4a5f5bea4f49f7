package monitor

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"assay/internal/cgroup"
)

// pressureSource reads /proc/pressure, or the equivalent of a control group with a limit, such as a container's.
type pressureSource struct {
	memory, cpu, io *file
	groups          cgroup.Groups
	group           *file // memory.pressure of the control group with a limit; nil: none
	level           linuxLevel
	some, full      Reading
	cpuSome, ioSome Reading
	out             [5]Reading
}

func newPressureSource(r roots) *pressureSource {
	return &pressureSource{
		memory:  r.procFile("pressure/memory", 256),
		cpu:     r.procFile("pressure/cpu", 256),
		io:      r.procFile("pressure/io", 256),
		groups:  cgroup.Open(r.proc, r.sys),
		level:   linuxLevel{reading: Template(MemoryPressureLevel, "/proc/pressure/memory")},
		some:    Template(MemoryPressure, "/proc/pressure/memory"),
		full:    Template(MemoryPressureFull, "/proc/pressure/memory"),
		cpuSome: Template(CPUPressure, "/proc/pressure/cpu"),
		ioSome:  Template(IOPressure, "/proc/pressure/io"),
	}
}

func (s *pressureSource) Name() string { return "pressure" }

func (s *pressureSource) Read(context.Context) []Reading {
	group, limited := s.groups.Pressure()
	file := s.stalls(group)
	memory, err := readPressure(file)
	some, full := pressed(s.some, memory.some, err), pressed(s.full, memory.full, err)
	some.Source, full.Source = file.name, file.name
	if err == nil && !memory.hasFull {
		full = s.full.unavailable("the kernel does not report it")
	}
	cpu, cpuErr := readPressure(s.cpu)
	io, ioErr := readPressure(s.io)
	s.out = [...]Reading{some, full, pressed(s.cpuSome, cpu.some, cpuErr), pressed(s.ioSome, io.some, ioErr), s.level.read(some, group, limited)}
	return s.out[:]
}

// stalls returns the file that counts stalls on memory: the control group's if it has a limit.
func (s *pressureSource) stalls(group cgroup.Pressure) *file {
	switch {
	case group.Stalls == "":
		return s.memory
	case s.group == nil || s.group.path != group.Stalls:
		s.group = &file{path: group.Stalls, name: group.Stalls, buf: make([]byte, 256)}
	}
	return s.group
}

func readPressure(f *file) (pressure, error) {
	b, err := f.read()
	if err != nil {
		return pressure{}, err
	}
	return decodePressure(b)
}

// pressed returns the reading of a pressure, or the reason why there is none.
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
