package desk

import (
	"sync"
	"time"

	"assay/app"
)

// redrawInterval is the minimum interval between two redraws for updates: during a run timings matter more than a
// smooth window. Four readings per second cause three redraws; updates that the user waits for come sooner.
const redrawInterval = 330 * time.Millisecond

// uiQueue is the only way from other goroutines to the UI goroutine. Updates are merged; at most one delivery is in
// flight, and deliveries are at least an interval apart.
type uiQueue struct {
	do       func(func()) // queues a function for the UI goroutine
	deliver  func([]any)  // receives app.Updates and func()s, in order, on the UI goroutine
	interval time.Duration
	now      func() time.Time

	mu        sync.Mutex
	pending   []any
	scheduled bool
	timer     *time.Timer
	last      time.Time     // of the last delivery
	held      bool          // nothing is delivered unless someone waits for it
	over      chan struct{} // not nil: the UI goroutine is withheld until it is closed…
	wanted    chan struct{} // …or wanted for a delivery
	closed    bool
	inFlight  sync.WaitGroup // calls of do

	redraws int           // deliveries so far
	spent   time.Duration // time spent on them, on the UI goroutine
}

func newUIQueue(do func(func()), deliver func([]any)) *uiQueue {
	return &uiQueue{do: do, deliver: deliver, interval: redrawInterval, now: time.Now}
}

// push takes an update from the session. A newer progress replaces an older one; all others stay in order.
func (h *uiQueue) push(u app.Update) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := u.(app.ProgressUpdate); ok {
		h.dropProgress()
	}
	h.add(u)
	switch u.(type) {
	case app.EndUpdate, app.TuneUpdate, app.ABUpdate:
		h.hurry()
	}
}

// hurry makes the next delivery immediate: once a run is over nothing can be disturbed.
func (h *uiQueue) hurry() {
	if h.scheduled && !h.closed && h.timer.Stop() {
		h.timer.Reset(0)
	}
}

// call runs f on the UI goroutine, with the updates.
func (h *uiQueue) call(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(f)
}

// callNow runs f on the UI goroutine as soon as possible, even while deliveries are held: someone waits for it.
func (h *uiQueue) callNow(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(f)
	h.hurry()
	if !h.closed && !h.scheduled {
		h.schedule(0)
	}
}

// callHeld runs f on the UI goroutine, along with the updates, even while deliveries are held: the user requested it.
func (h *uiQueue) callHeld(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.add(f)
	if !h.closed && !h.scheduled {
		h.schedule(h.wait())
	}
}

func (h *uiQueue) dropProgress() {
	for i, u := range h.pending {
		if _, ok := u.(app.ProgressUpdate); ok {
			h.pending = append(h.pending[:i], h.pending[i+1:]...)
			return
		}
	}
}

// add appends and schedules; the caller holds mu.
func (h *uiQueue) add(item any) {
	if h.closed {
		return
	}
	h.pending = append(h.pending, item)
	if !h.scheduled && !h.held {
		h.schedule(h.wait())
	}
}

// schedule schedules the next delivery; the caller holds mu.
func (h *uiQueue) schedule(after time.Duration) {
	h.scheduled = true
	h.timer = time.AfterFunc(after, h.fire)
}

// wait returns how long the next delivery must wait; if not positive, not at all.
func (h *uiQueue) wait() time.Duration { return h.interval - h.now().Sub(h.last) }

// fire asks the UI goroutine to deliver what is pending.
func (h *uiQueue) fire() {
	h.mu.Lock()
	select {
	case h.wanted <- struct{}{}:
	default:
	}
	h.mu.Unlock()
	h.ask(h.drain)
}

// ask queues f for the UI goroutine, unless the queue is closed.
func (h *uiQueue) ask(f func()) {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return
	}
	h.inFlight.Add(1)
	h.mu.Unlock()
	defer h.inFlight.Done()
	h.do(f)
}

// drain runs on the UI goroutine.
func (h *uiQueue) drain() {
	h.mu.Lock()
	items := h.pending
	h.pending, h.scheduled, h.last = nil, false, h.now()
	closed := h.closed
	h.mu.Unlock()
	if closed || len(items) == 0 {
		return
	}
	began := time.Now()
	h.deliver(items)
	h.redraws++
	h.spent += time.Since(began)
}

// cost is the mean time of a delivery on the UI goroutine, in seconds, without painting; ok is false before the first.
func (h *uiQueue) cost() (redraws int, seconds float64, ok bool) {
	if h.redraws == 0 {
		return 0, 0, false
	}
	return h.redraws, h.spent.Seconds() / float64(h.redraws), true
}

// close drops what is pending and returns when nothing more will be queued. It is called on the UI goroutine.
func (h *uiQueue) close() {
	h.mu.Lock()
	h.closed, h.pending = true, nil
	h.let()
	if h.timer != nil {
		h.timer.Stop()
	}
	h.mu.Unlock()
	h.inFlight.Wait()
}
