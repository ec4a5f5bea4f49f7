package measure

import (
	"context"
	"errors"
	"testing"
	"time"
)

// clocked is a series whose samples each last so long.
func clocked(duration, window, sample time.Duration) (s *Series, samples *int) {
	clock, n := time.Unix(0, 0), 0
	return &Series{
		Duration: duration, Window: window, Now: func() time.Time { return clock },
		Sample: func(context.Context) (float64, error) {
			n++
			clock = clock.Add(sample)
			return float64(n), nil
		},
	}, &n
}

func TestSeriesInWindows(t *testing.T) {
	for _, tc := range []struct {
		name                     string
		duration, window, sample time.Duration
		windows, samples         int
	}{
		{"even", 10 * time.Second, time.Second, 100 * time.Millisecond, 10, 100},
		{"samples longer than a window", 10 * time.Second, time.Second, 3 * time.Second, 4, 4},
		{"one window", time.Second, time.Second, 300 * time.Millisecond, 1, 4},
		{"uneven", 5 * time.Second, 2 * time.Second, time.Second, 3, 6},
	} {
		s, n := clocked(tc.duration, tc.window, tc.sample)
		var windows []Window
		if err := s.Run(t.Context(), func(w Window) error { windows = append(windows, w); return nil }); err != nil {
			t.Fatal(err)
		}
		if len(windows) != tc.windows || *n != tc.samples {
			t.Errorf("%s: %d windows of %d samples, want %d of %d", tc.name, len(windows), *n, tc.windows, tc.samples)
		}
		var end time.Duration
		next := 1.0
		for _, w := range windows { // nothing is lost between windows
			if w.Start != end || w.End <= w.Start || len(w.Samples) == 0 || w.Samples[0] != next {
				t.Errorf("%s: a window from %v to %v with %v after %v", tc.name, w.Start, w.End, w.Samples, end)
			}
			end, next = w.End, next+float64(len(w.Samples))
		}
	}
}

func TestSeriesEnds(t *testing.T) {
	boom := errors.New("boom")
	s, _ := clocked(10*time.Second, time.Second, 100*time.Millisecond)
	if err := s.Run(t.Context(), func(Window) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("a window that cannot be used: %v", err)
	}
	s, n := clocked(10*time.Second, time.Second, 100*time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Run(ctx, func(Window) error { cancel(); return nil }); !errors.Is(err, context.Canceled) || *n != 10 {
		t.Errorf("stopped after the first window: %v, %d samples", err, *n)
	}
	s.Sample = func(context.Context) (float64, error) { return 0, boom }
	if err := s.Run(t.Context(), func(Window) error { return nil }); !errors.Is(err, boom) {
		t.Errorf("a sample that fails: %v", err)
	}
	s.Window = time.Hour
	if err := s.Run(t.Context(), nil); !errors.Is(err, ErrNoTime) {
		t.Errorf("no room for a window: %v", err)
	}
}
