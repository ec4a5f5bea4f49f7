package ui

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is released after something new was drawn, again when Fyne has forgotten what it replaced, and then at the same
// interval, until stopped.
func TestSettlerReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var released atomic.Int32
		s := newSettler(func() bool { released.Add(1); return true }, func(int) {})
		defer s.stop()
		time.Sleep(settling - time.Second)
		s.again() // something else was drawn
		for _, c := range []struct {
			sleep time.Duration
			want  int32
		}{{2 * time.Second, 0}, {settling, 1}, {forgetting, 2}, {forgetting, 3}, {forgetting, 4}} {
			time.Sleep(c.sleep)
			synctest.Wait()
			if n := released.Load(); n != c.want {
				t.Errorf("after %v more it was released %d times, want %d", c.sleep, n, c.want)
			}
		}
		s.stop()
		s.again()
		time.Sleep(2 * forgetting)
		if n := released.Load(); n != 4 {
			t.Errorf("stopped, it was released %d times more", n-4)
		}
	})
}

// Garbage is collected early only at rest: not from the start of a run on, and not after an attempt to release memory during a run.
func TestSettlerKeepsTheHeapSmallAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var active atomic.Bool
		var percent atomic.Int32
		s := newSettler(func() bool { return !active.Load() }, func(to int) { percent.Store(int32(to)) })
		defer s.stop()
		for _, c := range []struct {
			what   string
			active bool
			want   int32
		}{{"at rest", false, restPercent}, {"in a run", true, workPercent}, {"after it", false, restPercent}} {
			active.Store(c.active)
			if c.active {
				s.work()
			}
			time.Sleep(2 * forgetting)
			synctest.Wait()
			if got := percent.Load(); got != c.want {
				t.Errorf("%s the heap grows by %d %%, want %d %%", c.what, got, c.want)
			}
		}
	})
}
