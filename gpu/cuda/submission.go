//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// submission implements gpu.Submission and gpu.Stager.
type submission struct {
	enginekit.Submission
	engine  *engine
	program *prepared
	repeat  int
	run     run
	stages  []gpu.Stage // set before it ends
}

// finish waits for the submission, records its time or error and releases what it uses. It returns true if it never ended.
func (s *submission) finish() (hung bool) {
	var timing gpu.Timing
	wall, device, ended, err := s.run.wait(s.engine.timeout().Seconds())
	switch {
	case !ended:
		err = s.engine.hang("run", s.program.label)
	case err != nil:
		err = s.engine.failed("run", s.program.label, err)
	default:
		timing, err = s.result(device, wall)
	}
	s.run.free()
	s.program.End()
	s.engine.frees.end()
	s.Finish(timing, err)
	return !ended
}

// result returns the time of a submission that has ended, or an error.
func (s *submission) result(device, wall float64) (gpu.Timing, error) {
	if s.program.staged {
		if err := s.times(); err != nil {
			return gpu.Timing{}, err
		}
	}
	if !s.program.works {
		device = 0
	}
	return timing(device, wall, s.program.works)
}

// times sets the time of every command of every run.
func (s *submission) times() error {
	n := len(s.program.labels)
	seconds, err := s.run.stages(n * s.repeat)
	if err != nil {
		return s.engine.failed("stages", s.program.label, err)
	}
	for i, t := range seconds {
		stage := gpu.Stage{Label: s.program.labels[i%n], Seconds: t}
		if t <= 0 {
			stage.Seconds, stage.Why = 0, "shorter than the resolution of CUDA events"
		}
		s.stages = append(s.stages, stage)
	}
	return nil
}

// Stages waits like Wait and returns the time of each command of each run.
func (s *submission) Stages(ctx context.Context) ([]gpu.Stage, error) {
	if !s.program.staged {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "stages", s.program.label, "the program was encoded without stages")
	}
	if _, err := s.Wait(ctx); err != nil {
		return nil, err
	}
	return s.stages, nil
}
