package measure

import (
	"context"
	"errors"
	"time"
)

// Series follows one kind of work over time, in windows.
type Series struct {
	Duration time.Duration // of all windows
	Window   time.Duration
	// Sample does the work once more and returns its result, such as seconds per repetition.
	Sample func(ctx context.Context) (float64, error)
	Now    func() time.Time // nil: time.Now
}

// Window is the samples of a stretch of a series.
type Window struct {
	Start, End time.Duration // since the series began
	Samples    []float64     // in the order taken; at least one
}

// ErrNoTime is the error of a series that has no room for a window.
var ErrNoTime = errors.New("series: no time for a window")

// Run samples until the duration is over and calls each for every window that is complete, also where one sample lasts
// longer than a window. The error of a sample, or the end of ctx, ends it; what was sampled since the last window is
// dropped.
func (s *Series) Run(ctx context.Context, each func(Window) error) error {
	now := s.Now
	if now == nil {
		now = time.Now
	}
	if s.Window <= 0 || s.Duration < s.Window {
		return ErrNoTime
	}
	began := now()
	w := Window{}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := s.Sample(ctx)
		if err != nil {
			return err
		}
		w.Samples = append(w.Samples, v)
		w.End = now().Sub(began)
		if w.End-w.Start < s.Window {
			continue
		}
		if err := each(w); err != nil {
			return err
		}
		if w.End >= s.Duration {
			return nil
		}
		w = Window{Start: w.End}
	}
}
