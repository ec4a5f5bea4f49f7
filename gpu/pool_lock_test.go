package gpu

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// Threads that want the lock at the same time take turns, even if one of them is preempted during its turn.
func TestLockExcludes(t *testing.T) {
	const threads, turns = 8, 2000
	var l lock
	var all sync.WaitGroup
	inside, count := 0, 0
	for range threads {
		all.Go(func() {
			for i := range turns {
				l.Lock()
				if inside++; inside != 1 {
					t.Error("two threads have the lock")
				}
				if i%500 == 0 {
					time.Sleep(time.Millisecond)
				} else if i%50 == 0 {
					runtime.Gosched()
				}
				count++
				inside--
				l.Unlock()
			}
		})
	}
	all.Wait()
	if count != threads*turns {
		t.Errorf("%d turns, want %d", count, threads*turns)
	}
}

func TestSpanOfTicks(t *testing.T) {
	begin := time.Now()
	s := span{moment{begin, 1000}, moment{begin.Add(10 * time.Second), 3000}}
	for _, c := range []struct {
		ticks uint64
		after time.Duration
	}{{1000, 0}, {1500, 2500 * time.Millisecond}, {3000, 10 * time.Second}, {7, 0}, {9000, 10 * time.Second}} {
		if got := s.after(c.ticks); got != c.after || s.age(c.ticks) != 10*time.Second-c.after || !s.time(c.ticks).Equal(begin.Add(c.after)) {
			t.Errorf("at %d ticks %v after the start, want %v", c.ticks, got, c.after)
		}
	}
	if a, b := ticks(), ticks(); b < a {
		t.Errorf("the counter ran from %d back to %d", a, b)
	}
}
