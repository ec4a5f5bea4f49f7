package desk

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/app"
)

// While a run in quiet mode times something, the window draws only what the user waits for; the rest is drawn at the end.
func TestQuietWindowDrawsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := make(chan func(), 10)
		defer close(queue)
		go func() {
			for f := range queue {
				f()
			}
		}()
		var drawn []int // items of each delivery
		h := newUIQueue(func(f func()) { queue <- f }, func(items []any) {
			drawn = append(drawn, len(items))
			for _, i := range items {
				if f, ok := i.(func()); ok {
					f()
				}
			}
		})
		defer h.close()
		h.push(app.TickUpdate{})
		h.quiet(true)
		synctest.Wait()
		// The reading is drawn when it comes, or with the last delivery before the quiet.
		if !slices.Equal(drawn, []int{2}) && !slices.Equal(drawn, []int{1, 1}) {
			t.Fatalf("when it becomes quiet %v was drawn, want the reading before it", drawn)
		}
		drawn = nil
		for i := range 100 {
			h.push(app.TickUpdate{})
			h.push(progress(i))
			h.call(func() {})
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if len(drawn) != 0 {
			t.Errorf("%d redraws while quiet", len(drawn))
		}
		asked := false
		h.callHeld(func() { asked = true })
		time.Sleep(time.Second)
		synctest.Wait()
		if !asked || len(drawn) != 1 || drawn[0] != 100+1+100+1 {
			t.Errorf("what the user asked for: %v, drawn %v", asked, drawn)
		}
		h.push(app.TickUpdate{})
		time.Sleep(time.Second)
		h.quiet(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(drawn) != 2 || drawn[1] != 1 {
			t.Errorf("at the end %v was drawn", drawn)
		}
		h.push(app.TickUpdate{})
		time.Sleep(time.Second)
		synctest.Wait()
		if len(drawn) != 3 {
			t.Error("nothing is drawn afterward")
		}
	})
}

// A window that does not answer is waited for only briefly.
func TestQuietDoesNotWaitForAStuckWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newUIQueue(func(func()) {}, func([]any) {})
		began := time.Now()
		h.quiet(true)
		if d := time.Since(began); d != maxDraw {
			t.Errorf("waited %v", d)
		}
		h.close()
		h.quiet(false)
	})
}

// While something is timed, Fyne's loop, which wakes sixty times a second, has the UI goroutine only for moments at a time; a
// delivery that someone waits for need not wait for the loop.
func TestQuietKeepsTheLoopStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue, end := make(chan func(), 10), make(chan struct{})
		defer close(end)
		var ticks atomic.Int64
		go func() {
			tick := time.NewTicker(time.Second / 60)
			defer tick.Stop()
			for {
				select {
				case f := <-queue:
					f()
				case <-tick.C:
					ticks.Add(1)
				case <-end:
					return
				}
			}
		}()
		h := newUIQueue(func(f func()) { queue <- f }, func(items []any) {
			for _, i := range items {
				i.(func())()
			}
		})
		defer h.close()
		count := func(d time.Duration) int {
			synctest.Wait()
			from := ticks.Load()
			time.Sleep(d)
			synctest.Wait()
			return int(ticks.Load() - from)
		}
		h.quiet(true)
		if n := count(10 * time.Second); n < 60 || n > 200 {
			t.Errorf("the loop woke %d times in 10 s, want about 80 to 170", n)
		}
		asked := time.Now()
		answered := make(chan time.Duration, 1)
		h.callNow(func() { answered <- time.Since(asked) })
		if d := <-answered; d > freeFor {
			t.Errorf("what is wanted waits %v", d)
		}
		h.quiet(false)
		if n := count(10 * time.Second); n < 590 {
			t.Errorf("afterward the loop woke %d times in 10 s, want 600", n)
		}
	})
}
