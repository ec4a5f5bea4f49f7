package desk

import "time"

// How long a run in quiet mode waits for the window before it times something: for the UI goroutine at most, and then for the frame to be
// painted.
const (
	maxDraw = time.Second
	painted = 50 * time.Millisecond
)

// How long the UI goroutine is kept from Fyne's loop at a time while something is timed, and for how long the loop then has it. The loop
// wakes sixty times a second, and each time takes a processor from a kernel that runs on all of them. What the user does waits as long.
const (
	keptFor = 100 * time.Millisecond
	freeFor = 20 * time.Millisecond // the loop looks at events once at least
)

// quiet is called on a run's goroutine: with true it delivers what is pending, waits until the window has drawn it, and holds what comes
// later; with false it delivers again.
func (h *uiQueue) quiet(on bool) {
	if !on {
		h.release()
		return
	}
	h.mu.Lock()
	h.held = true
	h.mu.Unlock()
	drawn := make(chan struct{})
	h.callNow(func() { close(drawn) })
	select {
	case <-drawn:
		time.Sleep(painted)
		h.keep()
	case <-time.After(maxDraw): // it is closing, or busy with the user
	}
}

// keep keeps the UI goroutine from now on, until let.
func (h *uiQueue) keep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || !h.held || h.over != nil {
		return
	}
	h.over, h.wanted = make(chan struct{}), make(chan struct{}, 1)
	go h.keepUntil(h.over, h.wanted)
}

// let no longer keeps it; the caller holds mu.
func (h *uiQueue) let() {
	if h.over != nil {
		close(h.over)
		h.over, h.wanted = nil, nil
	}
}

// keepUntil keeps the UI goroutine in turns until over is closed. A delivery that is wanted ends the turn.
func (h *uiQueue) keepUntil(over, wanted <-chan struct{}) {
	for {
		back := make(chan struct{})
		h.ask(func() {
			defer close(back)
			select {
			case <-over:
			case <-wanted:
			case <-time.After(keptFor):
			}
		})
		select {
		case <-over:
			return
		case <-back:
		}
		select {
		case <-over:
			return
		case <-time.After(freeFor):
		}
	}
}

// release delivers what was held.
func (h *uiQueue) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = false
	h.let()
	if len(h.pending) > 0 && !h.scheduled && !h.closed {
		h.schedule(h.wait())
	}
}
