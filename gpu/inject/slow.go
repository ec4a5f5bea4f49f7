package inject

import (
	"context"
	"sync"
	"time"

	"assay/gpu"
)

// Heat makes an engine tell longer times, as a device does that is throttled: from Begin on, until it has rested. The times are
// the device's own, multiplied.
type Heat struct {
	Factor float64       // by which times grow
	Rest   time.Duration // without work, in pauses of at least minPause, after which they are the device's own again
	Now    func() time.Time

	mu     sync.Mutex
	hot    bool
	rested time.Duration
	last   time.Time // when work last ended
}

// minPause is the shortest time without work that cools.
const minPause = 100 * time.Millisecond

// Begin heats the device up.
func (h *Heat) Begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hot, h.rested, h.last = true, 0, time.Time{}
}

// Hot reports whether times are multiplied now.
func (h *Heat) Hot() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hot
}

// works counts the pause since the work before, and is by how much times grow.
func (h *Heat) works() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if pause := h.now().Sub(h.last); !h.last.IsZero() && pause >= minPause {
		h.rested += pause
	}
	h.last = h.now()
	if h.hot = h.hot && h.rested < h.Rest; h.hot {
		return h.Factor
	}
	return 1
}

func (h *Heat) ended() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = h.now()
}

func (h *Heat) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}

// Slow is e, whose queues tell the times of a device that is heated.
func Slow(e gpu.Engine, h *Heat) gpu.Engine { return &slowEngine{e, h} }

type slowEngine struct {
	gpu.Engine
	heat *Heat
}

// Unwrap is the engine itself.
func (e *slowEngine) Unwrap() gpu.Engine { return e.Engine }

// NewQueue is part of gpu.Engine.
func (e *slowEngine) NewQueue(label string) (gpu.Queue, error) {
	q, err := e.Engine.NewQueue(label)
	if err != nil {
		return nil, err
	}
	return &slowQueue{q, e.heat}, nil
}

type slowQueue struct {
	gpu.Queue
	heat *Heat
}

// Submit is part of gpu.Queue.
func (q *slowQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	s, err := q.Queue.Submit(p, repeat)
	if err != nil {
		return nil, err
	}
	return &slowSubmission{s, q.heat, q.heat.works()}, nil
}

type slowSubmission struct {
	gpu.Submission
	heat   *Heat
	factor float64
}

// Wait is part of gpu.Submission.
func (s *slowSubmission) Wait(ctx context.Context) (gpu.Timing, error) {
	t, err := s.Submission.Wait(ctx)
	s.heat.ended()
	t.Device *= s.factor
	t.Wall *= s.factor
	return t, err
}
