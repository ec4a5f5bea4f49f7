//go:build (darwin || metalsim) && cgo

package metal

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// unsampledLibrary is the reason why library operations have no time of their own.
const unsampledLibrary = "the library encodes its own operations, so the engine cannot sample them"

// submission implements gpu.Submission and gpu.Stager.
type submission struct {
	enginekit.Submission
	engine  *engine
	program *prepared
	repeat  int
	events  []eventValues // of the program's event commands
	run     run
	stages  []gpu.Stage // set before it ends
}

// finish waits for the command buffer, records its time or error and releases its buffers. It returns true if the command
// buffer never ended.
func (s *submission) finish() (hung bool) {
	timing, err := gpu.Timing{}, error(nil)
	if hung = !s.run.wait(s.engine.timeout().Seconds()); hung {
		err = s.engine.hang("run", s.program.batch.label) // Metal keeps its memory
	} else {
		timing, err = s.result(s.run.outcome())
	}
	if err != nil {
		s.raiseEvents()
	}
	s.events = nil
	s.program.End()
	s.run.release()
	s.endSampling()
	s.Finish(timing, err)
	return hung
}

// endSampling frees the slot for a sample buffer.
func (s *submission) endSampling() {
	if s.program.batch.sampled {
		<-s.engine.sampling
	}
}

// raiseEvents signals the events of a submission that failed, so that work awaiting them continues.
func (s *submission) raiseEvents() {
	for i, e := range s.program.events {
		if e.signal {
			e.event.native.raise(lastValue(s.events[i], s.repeat))
		}
	}
}

// result returns the time of a command buffer that has ended, or an error.
func (s *submission) result(o outcome) (gpu.Timing, error) {
	if err := s.engine.verdict(o, "run", s.program.batch.label); err != nil {
		return gpu.Timing{}, err
	}
	took, err := timing(o, s.program.batch.encodes())
	if err != nil {
		return gpu.Timing{}, fmt.Errorf("run %s: %w", s.program.batch.label, err)
	}
	if s.program.batch.sampled {
		s.stages = s.sampled()
	}
	return took, nil
}

// sampled returns the time of every segment of every run.
func (s *submission) sampled() []gpu.Stage {
	var labels []string
	for range s.repeat {
		for _, seg := range s.program.batch.segments {
			labels = append(labels, seg.label)
		}
	}
	raw, tick := s.run.samples(2 * len(labels))
	all := stages(labels, raw, tick)
	for i := range all {
		kind := s.program.batch.segments[i%len(s.program.batch.segments)].kind
		if why, ok := unsampled(kind); ok {
			all[i] = gpu.Stage{Label: all[i].Label, Why: why}
		}
	}
	return all
}

// unsampled returns the reason why segments of a kind have no time of their own.
func unsampled(kind int) (why string, ok bool) {
	switch kind {
	case librarySegment:
		return unsampledLibrary, true
	case blitSegment, signalSegment, awaitSegment:
		return "only launches are sampled", true
	}
	return "", false
}

// Stages waits like Wait and returns the time of every dispatch that was encoded.
func (s *submission) Stages(ctx context.Context) ([]gpu.Stage, error) {
	if !s.program.batch.sampled {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "stages", s.program.batch.label, "the program was encoded without stages")
	}
	if _, err := s.Wait(ctx); err != nil {
		return nil, err
	}
	return s.stages, nil
}

// verdict returns nil for a command buffer that succeeded. After a failure it updates the state of the engine.
func (e *engine) verdict(o outcome, op, work string) error {
	if !o.failed {
		e.mu.Lock()
		e.revoked = false
		e.mu.Unlock()
		return nil
	}
	f := classify(o)
	err := failure(o, f, op, work)
	e.mu.Lock()
	again := e.revoked
	e.revoked = f.effect == suspect
	e.mu.Unlock()
	if f.effect == losing || f.effect == suspect && again {
		e.lose(err, e.options.Timeout)
	}
	if f.effect == suspect && again {
		return gpu.Errorf(gpu.ErrDeviceLost, op, work, "%v", err)
	}
	return err
}

// hang is the error for work that does not end. The work that follows it fails as on a lost device.
func (e *engine) hang(op, work string) error {
	if err := e.lossError(op, work); err != nil {
		return err
	}
	err := gpu.Errorf(gpu.ErrTimeout, op, work, "did not end within %v; the device keeps its memory", e.options.Timeout)
	e.lose(err, afterLoss)
	return err
}
