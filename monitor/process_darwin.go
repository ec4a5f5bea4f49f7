package monitor

import (
	"context"
	"os"
	"runtime/metrics"

	"github.com/shirou/gopsutil/v3/process"
)

// processSource reads what this process uses.
type processSource struct {
	load    processLoad
	self    *process.Process
	err     error
	runtime []metrics.Sample
	out     []Reading
}

func newProcessSource() *processSource {
	s := &processSource{runtime: runtimeSamples()}
	s.self, s.err = process.NewProcess(int32(os.Getpid()))
	return s
}

func (s *processSource) Name() string { return "process" }

func (s *processSource) Read(ctx context.Context) []Reading {
	s.out = append(s.out[:0], s.load.read(), s.resident(ctx))
	s.out = runtimeReadings(s.runtime, s.out)
	return s.out
}

func (s *processSource) resident(ctx context.Context) Reading {
	r := processRSS("proc_pidinfo")
	if s.err != nil {
		return r.without(s.err)
	}
	m, err := s.self.MemoryInfoWithContext(ctx)
	if err != nil {
		return r.without(err)
	}
	return r.ok(float64(m.RSS))
}
