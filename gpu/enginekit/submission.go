package enginekit

import (
	"context"
	"errors"
	"fmt"

	"assay/gpu"
)

// Submission is the core of an engine's submission, which embeds it. Any number of goroutines can wait for its end.
type Submission struct {
	done   chan struct{} // closed when the fields below are set
	timing gpu.Timing
	err    error
}

// NewSubmission returns a submission that has not ended.
func NewSubmission() Submission { return Submission{done: make(chan struct{})} }

// Finish ends the submission, once, with its time or an error.
func (s *Submission) Finish(t gpu.Timing, err error) {
	if err != nil {
		t = gpu.Timing{}
	}
	s.timing, s.err = t, err
	close(s.done)
}

// Done is closed when the submission has ended.
func (s *Submission) Done() <-chan struct{} { return s.done }

// Wait returns when the work or ctx has ended; if both have, the result is that of the work.
func (s *Submission) Wait(ctx context.Context) (gpu.Timing, error) {
	select {
	case <-s.done:
		return s.timing, s.err
	default:
	}
	select {
	case <-s.done:
		return s.timing, s.err
	case <-ctx.Done():
		return gpu.Timing{}, waitError(ctx)
	}
}

func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("wait: %w: %w", gpu.ErrTimeout, ctx.Err())
	}
	return fmt.Errorf("wait: %w", ctx.Err())
}
