package monitor

import (
	"context"
	"os"
	"runtime/metrics"

	"assay/internal/statm"
)

// processSource reads the resources that this process uses.
type processSource struct {
	load    processLoad
	statm   *file
	runtime []metrics.Sample
	out     []Reading
}

func newProcessSource(r roots) *processSource {
	return &processSource{statm: r.procFile("self/statm", 128), runtime: runtimeSamples()}
}

func (s *processSource) Name() string { return "process" }

func (s *processSource) Read(context.Context) []Reading {
	s.out = append(s.out[:0], s.load.read(), s.resident())
	s.out = runtimeReadings(s.runtime, s.out)
	return s.out
}

func (s *processSource) resident() Reading {
	r := Template(ProcessRSS, statm.Path)
	b, err := s.statm.read()
	if err != nil {
		return r.without(err)
	}
	pages, _, err := statm.Decode(b)
	if err != nil {
		return r.failed(err.Error())
	}
	return r.ok(float64(pages) * float64(os.Getpagesize()))
}
