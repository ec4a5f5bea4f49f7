package monitor

import "context"

// cpuSource reads /proc/stat and /proc/loadavg.
type cpuSource struct {
	stat, load *file
	prev       cpuTime
	has        bool
	out        [2]Reading
	cpu        Reading
	average    Reading
}

func newCPUSource(r roots) *cpuSource {
	return &cpuSource{
		stat: r.procFile("stat", 512), load: r.procFile("loadavg", 64),
		cpu: Template(HostCPU, "/proc/stat"), average: Template(HostLoad, "/proc/loadavg"),
	}
}

func (s *cpuSource) Name() string { return "cpu" }

func (s *cpuSource) Read(context.Context) []Reading {
	s.out = [...]Reading{s.readStat(), s.readLoad()}
	return s.out[:]
}

func (s *cpuSource) readStat() Reading {
	b, err := s.stat.read()
	if err != nil {
		return s.cpu.without(err)
	}
	now, err := decodeStat(b)
	if err != nil {
		return s.cpu.failed(err.Error())
	}
	prev, had := s.prev, s.has
	s.prev, s.has = now, true
	if !had {
		return s.cpu.unavailable(needsTwo)
	}
	ratio, ok := now.busySince(prev)
	if !ok {
		return s.cpu.unavailable(stale)
	}
	return s.cpu.ok(ratio)
}

func (s *cpuSource) readLoad() Reading {
	b, err := s.load.read()
	if err != nil {
		return s.average.without(err)
	}
	v, err := decodeLoad(b)
	if err != nil {
		return s.average.failed(err.Error())
	}
	return s.average.ok(v)
}
