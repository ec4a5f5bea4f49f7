package desk

import (
	"sync"
	"testing"
	"time"

	"assay/app"
	"assay/workloads"
)

// loop stands in for the UI goroutine: queued functions run when the test says so.
type loop struct {
	mu    sync.Mutex
	queue []func()
	added chan struct{}
}

func newLoop() *loop { return &loop{added: make(chan struct{}, 1000)} }

func (l *loop) do(f func()) {
	l.mu.Lock()
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	l.added <- struct{}{}
}

// run runs the queued functions and returns their number.
func (l *loop) run() int {
	l.mu.Lock()
	queue := l.queue
	l.queue = nil
	l.mu.Unlock()
	for _, f := range queue {
		f()
	}
	return len(queue)
}

// next waits for a function to be queued.
func (l *loop) next(t *testing.T) {
	t.Helper()
	select {
	case <-l.added:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was queued for the UI goroutine")
	}
}

func progress(done int) app.ProgressUpdate {
	return app.ProgressUpdate{Progress: workloads.Progress{Done: done}}
}

func TestUIQueueMergesAndKeepsOrder(t *testing.T) {
	l := newLoop()
	var got [][]any
	h := newUIQueue(l.do, func(items []any) { got = append(got, items) })
	defer h.close()
	ran := false
	h.push(app.StartUpdate{})
	for i := range 50 {
		h.push(progress(i))
	}
	h.push(app.ResultUpdate{})
	h.push(progress(99))
	h.call(func() { ran = true })
	l.next(t)
	if n := l.run(); n != 1 {
		t.Fatalf("%d functions queued for 54 updates, want 1", n)
	}
	if len(got) != 1 || len(got[0]) != 4 {
		t.Fatalf("delivered %v, want one batch of start, result, newest progress, call", got)
	}
	if _, ok := got[0][0].(app.StartUpdate); !ok {
		t.Errorf("first is %T, want the start", got[0][0])
	}
	if _, ok := got[0][1].(app.ResultUpdate); !ok {
		t.Errorf("second is %T, want the result", got[0][1])
	}
	if p, ok := got[0][2].(app.ProgressUpdate); !ok || p.Done != 99 {
		t.Errorf("third is %v, want the newest progress", got[0][2])
	}
	if f, ok := got[0][3].(func()); !ok {
		t.Errorf("fourth is %T, want the call", got[0][3])
	} else if f(); !ran {
		t.Error("the call did nothing")
	}
}

// TestUIQueueKeepsAtMostOnePending has many goroutines push while the UI goroutine does nothing.
func TestUIQueueKeepsAtMostOnePending(t *testing.T) {
	l := newLoop()
	count := 0
	h := newUIQueue(l.do, func(items []any) { count += len(items) })
	h.interval = 0
	var pushers sync.WaitGroup
	for range 8 {
		pushers.Go(func() {
			for range 100 {
				h.push(app.ResultUpdate{})
			}
		})
	}
	pushers.Wait()
	l.next(t)
	if n := l.run(); n != 1 {
		t.Errorf("%d functions wait on the UI goroutine, want 1", n)
	}
	if count != 800 {
		t.Errorf("%d updates delivered, want 800", count)
	}
	h.close()
}

// TestUIQueueSpacing checks the requested wait, on its own clock.
func TestUIQueueSpacing(t *testing.T) {
	l := newLoop()
	h := newUIQueue(l.do, func([]any) {})
	defer h.close()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	h.now = func() time.Time { return now }
	if wait := h.wait(); wait > 0 {
		t.Errorf("the first delivery waits %v, want none", wait)
	}
	h.drain()
	now = now.Add(100 * time.Millisecond)
	if want := redrawInterval - 100*time.Millisecond; h.wait() != want {
		t.Errorf("100 ms after a delivery the next waits %v, want %v", h.wait(), want)
	}
	now = now.Add(time.Second)
	if wait := h.wait(); wait > 0 {
		t.Errorf("long after a delivery the next waits %v, want none", wait)
	}
}

// TestUIQueueHurriesTheEnd checks that the end of a run does not wait for the interval.
func TestUIQueueHurriesTheEnd(t *testing.T) {
	l := newLoop()
	h := newUIQueue(l.do, func([]any) {})
	defer h.close()
	h.interval = time.Hour
	h.drain() // a delivery just now
	h.push(progress(1))
	h.push(app.EndUpdate{})
	l.next(t) // or the test fails after ten seconds
}

func TestUIQueueClosedQueuesNothing(t *testing.T) {
	l := newLoop()
	delivered := 0
	h := newUIQueue(l.do, func([]any) { delivered++ })
	h.push(app.ResultUpdate{})
	l.next(t)
	h.close()
	l.run() // was queued before close
	h.push(app.ResultUpdate{})
	h.call(func() { t.Error("called after close") })
	h.fire()
	if n := l.run(); n != 0 || delivered != 0 {
		t.Errorf("after close: %d functions queued, %d batches delivered, want none", n, delivered)
	}
}
