package measure

import (
	"context"
	"errors"
	"testing"
	"time"
)

// clocked is a series whose samples have a fixed duration.
func clocked(duration, window, sample time.Duration) (s *Series, samples *int) {
	clock, n := time.Unix(0, 0), 0
	return &Series{
		Duration: duration, Window: window, Now: func() time.Time { return clock },
		Start: func(context.Context) (Pending, error) {
			n++
			this := float64(n)
			return func() (float64, error) {
				clock = clock.Add(sample)
				return this, nil
			}, nil
		},
	}, &n
}

// Two samples are in flight once the duration of one is known, and none when a window ends.
func TestSeriesKeepsTheDeviceBusy(t *testing.T) {
	for _, alone := range []bool{false, true} {
		s, _ := clocked(10*time.Second, time.Second, 100*time.Millisecond)
		start, flight, shallow, deepest := s.Start, 0, 0, 0
		s.Alone = alone
		s.Start = func(ctx context.Context) (Pending, error) {
			wait, err := start(ctx)
			flight++
			deepest = max(deepest, flight)
			return func() (float64, error) {
				if flight < 2 {
					shallow++
				}
				flight--
				return wait()
			}, err
		}
		windows := 0
		err := s.Run(t.Context(), func(Window) error {
			if windows++; flight != 0 {
				t.Errorf("%d samples in flight at the end of window %d", flight, windows)
			}
			return nil
		})
		if want := map[bool]int{false: 11, true: 100}[alone]; err != nil || windows != 10 || shallow != want || deepest != map[bool]int{false: 2, true: 1}[alone] {
			t.Errorf("alone %v: %d windows, %d samples waited for alone, %d in flight at most, error %v", alone, windows, shallow, deepest, err)
		}
	}
}

// The device is warm when its time is stable, or after a window at the latest.
func TestSeriesWarmsUp(t *testing.T) {
	for _, tc := range []struct {
		name string
		time func(n int) float64
		want int
	}{
		{"steady", func(int) float64 { return 1 }, 9},
		{"faster at first", func(n int) float64 { return map[bool]float64{true: 0.5, false: 1}[n < 6] }, 13},
		{"never", func(n int) float64 { return float64(n * n) }, 50},
	} {
		s, n := clocked(50*time.Second, 5*time.Second, 100*time.Millisecond)
		start := s.Start
		s.Start = func(ctx context.Context) (Pending, error) {
			wait, err := start(ctx)
			v := tc.time(*n)
			return func() (float64, error) { _, err := wait(); return v, err }, err
		}
		got, err := s.WarmUp(t.Context())
		if err != nil || got != tc.want || len(s.flight) > 0 {
			t.Errorf("%s: %d samples, want %d; %d in flight; error %v", tc.name, got, tc.want, len(s.flight), err)
		}
	}
	s, _ := clocked(time.Second, time.Second, 100*time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := s.WarmUp(ctx); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped before: %d samples, error %v", n, err)
	}
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
	s.Start = func(context.Context) (Pending, error) { return func() (float64, error) { return 0, boom }, nil }
	if err := s.Run(t.Context(), func(Window) error { return nil }); !errors.Is(err, boom) {
		t.Errorf("a sample that fails: %v", err)
	}
	s.Start = func(context.Context) (Pending, error) { return nil, boom }
	if err := s.Run(t.Context(), func(Window) error { return nil }); !errors.Is(err, boom) {
		t.Errorf("a sample that cannot start: %v", err)
	}
	s.Window = time.Hour
	if err := s.Run(t.Context(), nil); !errors.Is(err, errNoTime) {
		t.Errorf("no room for a window: %v", err)
	}
}
