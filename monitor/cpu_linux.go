package monitor

import "context"

// cpuSource reads /proc/stat and /proc/loadavg.
type cpuSource struct {
	use     coreUseReader
	load    *file
	average Reading
	out     []Reading
}

func newCPUSource(r roots) *cpuSource {
	return &cpuSource{
		use: newCoreUseReader("/proc/stat", statReader(r), true), load: r.procFile("loadavg", 64),
		average: Template(HostLoad, "/proc/loadavg"),
	}
}

// statReader reads the first line of /proc/stat.
func statReader(r roots) func(context.Context) (cpuTime, error) {
	stat := r.procFile("stat", 512)
	return func(context.Context) (cpuTime, error) {
		b, err := stat.read()
		if err != nil {
			return cpuTime{}, err
		}
		return decodeStat(b)
	}
}

func (s *cpuSource) Name() string { return "cpu" }

func (s *cpuSource) Read(ctx context.Context) []Reading {
	s.out = append(s.use.read(ctx, s.out[:0]), s.readLoad())
	return s.out
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
