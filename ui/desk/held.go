package desk

import "time"

// How long a run in quiet mode waits for the window before it times something: for the UI goroutine at most, and then for the frame to be
// painted.
const (
	maxDraw = time.Second
	painted = 50 * time.Millisecond
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
	case <-time.After(maxDraw): // it is closing, or busy with the user
	}
}

// release delivers what was held.
func (h *uiQueue) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = false
	if len(h.pending) > 0 && !h.scheduled && !h.closed {
		h.schedule(h.wait())
	}
}
