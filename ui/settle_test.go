package ui

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is released once what is new was drawn, again when Fyne has forgotten what it replaced, and from then on as often, until it stops.
func TestSettlerReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var released atomic.Int32
		s := newSettler(func() { released.Add(1) })
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
