package measure

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Series measures one kind of work over time, in windows. As in a case, two samples are in flight so that the device does not wait for
// the host; none is in flight at the end of a window, when the outputs are checked.
type Series struct {
	Duration time.Duration // of all windows
	Window   time.Duration
	// Start begins a sample and returns how to wait for its result, such as seconds per repetition.
	Start func(ctx context.Context) (Pending, error)
	Alone bool             // one sample in flight: see Subject
	Now   func() time.Time // nil: time.Now
	// Duty makes the device idle between bursts of samples; nil: it works all the time. Resting is called with how long that still
	// takes.
	Duty    *Duty
	Resting func(left time.Duration)

	flight []Pending
	began  time.Time
	end    time.Duration // when the last sample ended, since began
	sample time.Duration // duration of the latest sample; 0: not known
}

// Window holds the samples of one interval of a series.
type Window struct {
	Start, End time.Duration // since the series began
	Samples    []float64     // in the order taken; at least one
}

// errNoTime is the error of a series too short for a window.
var errNoTime = errors.New("series: no time for a window")

// WarmUp takes samples until the times are stable, but for no longer than a window, and returns how many it took.
func (s *Series) WarmUp(ctx context.Context) (samples int, err error) {
	defer s.drain()
	s.begin()
	var times []float64
	for !stable(times) && s.end < s.Window {
		if _, err := s.pace(ctx, nil); err != nil {
			return len(times), err
		}
		if err := s.fill(ctx, s.Window); err != nil {
			return len(times), err
		}
		v, err := s.pop(true)
		if err != nil {
			return len(times), err
		}
		times = append(times, v)
	}
	return len(times) + len(s.flight), nil
}

// Run takes samples for the duration and calls each for every complete window, even if one sample lasts longer than a window. A failed
// sample or a canceled ctx ends it; samples since the last window are dropped.
func (s *Series) Run(ctx context.Context, each func(Window) error) error {
	if s.Window <= 0 || s.Duration < s.Window {
		return errNoTime
	}
	defer s.drain()
	s.begin()
	for s.end < s.Duration {
		w, err := s.window(ctx)
		if err != nil {
			return err
		}
		if err := each(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *Series) begin() {
	if s.Now == nil {
		s.Now = time.Now
	}
	s.began, s.end = s.Now(), 0
}

// window takes the samples of a window.
func (s *Series) window(ctx context.Context) (Window, error) {
	w := Window{Start: s.end}
	keep := func(v float64) { w.Samples = append(w.Samples, v) }
	for len(s.flight) > 0 || len(w.Samples) == 0 || s.end < w.Start+s.Window {
		if rested, err := s.pace(ctx, keep); err != nil {
			return w, err
		} else if rested {
			continue
		}
		if err := s.fill(ctx, w.Start+s.Window); err != nil {
			return w, err
		}
		v, err := s.pop(len(w.Samples) > 0) // the host checked the outputs before the first sample
		if err != nil {
			return w, err
		}
		keep(v)
	}
	w.End = s.end
	return w, nil
}

// pace makes the device idle if its duty cycle requires it, and reports whether it did. Samples in flight end first and are kept; the
// one that follows is not, because clocks may have dropped in the meantime.
func (s *Series) pace(ctx context.Context, keep func(v float64)) (rested bool, err error) {
	d := s.Duty
	if d == nil {
		return false, nil
	}
	if d.Over() {
		for len(s.flight) > 0 {
			v, err := s.pop(true)
			if err != nil {
				return false, err
			}
			if keep != nil {
				keep(v)
			}
		}
		d.Pause()
	}
	waited, err := d.Rest(ctx, s.Resting)
	s.end = s.Now().Sub(s.began)
	d.Work()
	if err != nil || waited <= 0 || keep == nil {
		return false, err
	}
	d.Drop()
	wait, err := s.Start(ctx)
	if err == nil {
		_, err = wait()
	}
	s.end = s.Now().Sub(s.began)
	return true, err
}

// fill starts samples, but apart from the first none that would begin after the window.
func (s *Series) fill(ctx context.Context, until time.Duration) error {
	depth := inFlight
	if s.Alone {
		depth = 1
	}
	for len(s.flight) == 0 || len(s.flight) < depth && s.sample > 0 && s.end+time.Duration(len(s.flight))*s.sample < until {
		if err := ctx.Err(); err != nil {
			return err
		}
		wait, err := s.Start(ctx)
		if err != nil {
			return err
		}
		s.flight = append(s.flight, wait)
	}
	return nil
}

// pop waits for the oldest sample. timed means that it began when the previous one ended.
func (s *Series) pop(timed bool) (float64, error) {
	v, err := s.flight[0]()
	s.flight = slices.Delete(s.flight, 0, 1)
	now := s.Now().Sub(s.began)
	if timed || s.sample == 0 {
		s.sample = now - s.end
	}
	s.end = now
	return v, err
}

// drain waits for all samples in flight.
func (s *Series) drain() {
	for _, wait := range s.flight {
		_, _ = wait() // belongs to no window
	}
	s.flight = nil
}
