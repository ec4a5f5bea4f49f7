package app

import (
	"context"

	"assay/gpu"
	"assay/monitor"
)

// overheadSource reads Assay's memory use without the buffers of measurements.
type overheadSource struct {
	footprint func(context.Context) (int64, error) // of this process, bytes
	engine    func() (gpu.Engine, bool)            // the open one
	out       [1]monitor.Reading
}

// Name is the source's name.
func (s *overheadSource) Name() string { return "overhead" }

// Read subtracts two counts, read one after the other.
func (s *overheadSource) Read(ctx context.Context) []monitor.Reading {
	r := monitor.Template(monitor.ProcessOverhead, "process footprint minus the engine’s buffers")
	footprint, err := s.footprint(ctx)
	if err != nil {
		r.Status, r.Reason = monitor.Failed, err.Error()
	} else {
		r = overhead(r, footprint, s.allocated())
	}
	s.out[0] = r
	return s.out[:]
}

// allocated returns the engine's share of this process's memory, cached buffers included.
func (s *overheadSource) allocated() int64 {
	engine, ok := s.engine()
	if !ok || !engine.Info().Unified { // a device's own memory is not part of the footprint
		return 0
	}
	return engine.Memory().Bytes
}

// overhead returns the footprint without buffers. Buffers that have not been written may not count in a footprint.
func overhead(r monitor.Reading, footprint, allocated int64) monitor.Reading {
	if footprint < allocated {
		return unavailable(r, "not all engine buffers are resident yet")
	}
	r.Value, r.Status, r.Provenance = float64(footprint-allocated), monitor.OK, monitor.Estimated
	return r
}
