package enginekit

import (
	"slices"
	"sync"

	"assay/gpu"
)

// Event is the core of an engine's event, which embeds it: it counts signals and awaits in order of submission.
type Event struct {
	counted
	registry *Registry
	label    string

	mu              sync.Mutex
	signals, awaits int // submitted so far
	from, to        any // the queues that signal and await; nil: none yet
}

// OwnedEvent is an engine's own event.
type OwnedEvent interface {
	gpu.Event
	EventCore() *Event
}

// EventCore returns the event for enginekit.
func (e *Event) EventCore() *Event { return e }

// Open registers the event; free frees the engine's part of it. ErrClosed if the engine was closed.
func (e *Event) Open(r *Registry, label string, free func()) error {
	e.registry, e.label = r, label
	e.open(free)
	if r.isClosed() {
		e.release()
		return gpu.Errorf(gpu.ErrClosed, "new event", "", "%q", label)
	}
	return nil
}

// Release frees the event once no program uses it; ErrReleased if it was called before.
func (e *Event) Release() error {
	if !e.release() {
		return gpu.Errorf(gpu.ErrReleased, "release", "", "event %q", e.label)
	}
	return nil
}

// reserve counts the signals and awaits of a submission.
func (e *Event) reserve(queue any, signals, awaits int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if signals > 0 && e.from != nil && e.from != queue || awaits > 0 && e.to != nil && e.to != queue {
		return gpu.Errorf(gpu.ErrInvalid, "submit", "", "event %q is for two queues, one to signal and one to await it", e.label)
	}
	if signals > 0 && (awaits > 0 || e.to == queue) || awaits > 0 && e.from == queue {
		return gpu.Errorf(gpu.ErrInvalid, "submit", "", "event %q: a queue would await itself", e.label)
	}
	if e.awaits+awaits > e.signals {
		return gpu.Errorf(gpu.ErrInvalid, "submit", "", "event %q: %d awaits after %d signals: submit the signals first", e.label,
			e.awaits+awaits, e.signals)
	}
	if signals > 0 {
		e.from = queue
	}
	if awaits > 0 {
		e.to = queue
	}
	e.signals += signals
	e.awaits += awaits
	return nil
}

func (e *Event) cancel(signals, awaits int) {
	e.mu.Lock()
	e.signals -= signals
	e.awaits -= awaits
	e.mu.Unlock()
}

// Submitted is the number of signals and awaits submitted so far, including those of the submission that Begin has just
// begun.
func (e *Event) Submitted() (signals, awaits int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.signals, e.awaits
}

// BindEvent finds the engine's own event of a Signal or an Await and retains it until p is freed.
func BindEvent[E OwnedEvent](p *Program, event gpu.Event, signal bool) (own E, err error) {
	own, ok := event.(E)
	if !ok || own.EventCore().registry != p.registry {
		return own, gpu.Errorf(gpu.ErrInvalid, "bind", "", "the event belongs to another engine")
	}
	core := own.EventCore()
	i := slices.IndexFunc(p.events, func(u eventUse) bool { return u.event == core })
	if i < 0 {
		if !core.retain() {
			return own, gpu.Errorf(gpu.ErrReleased, "bind", "", "event %q", core.label)
		}
		i = len(p.events)
		p.events = append(p.events, eventUse{event: core})
	}
	if signal {
		p.events[i].signals++
	} else {
		p.events[i].awaits++
	}
	return own, nil
}
