package desk

import "time"

// How long a run in quiet mode waits for the window before it times something: at most, for the UI goroutine; then, for the frame
// to be painted.
const (
	maxDraw = time.Second
	painted = 50 * time.Millisecond
)

// How long the UI goroutine is withheld from Fyne's loop at a time while something is timed, and how long the loop then gets it.
// The loop wakes sixty times a second, and each time takes a processor from a kernel that runs on all of them. User input waits
// just as long.
const (
	keptFor = 100 * time.Millisecond
	freeFor = 20 * time.Millisecond // the loop looks at events at least once
)

// quiet is called on a run's goroutine: with true it delivers what is pending, waits until the window has drawn it, and holds later
// updates; with false it delivers again.
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
	case <-time.After(maxDraw): // the window is closing, or busy with the user
	}
}

// keep withholds the UI goroutine from Fyne's loop until let.
func (h *uiQueue) keep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || !h.held || h.over != nil {
		return
	}
	h.over, h.wanted = make(chan struct{}), make(chan struct{}, 1)
	go h.keepUntil(h.over, h.wanted)
}

// let gives the UI goroutine back; the caller holds mu.
func (h *uiQueue) let() {
	if h.over != nil {
		close(h.over)
		h.over, h.wanted = nil, nil
	}
}

// keepUntil withholds the UI goroutine for intervals until over is closed. A wanted delivery ends the interval.
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
