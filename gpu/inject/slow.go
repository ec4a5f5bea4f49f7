package inject

import (
	"context"
	"sync"
	"time"

	"assay/gpu"
)

// Heat makes an engine report longer times, like a throttled device: from Begin on, until it has rested. The times are the
// device's own, multiplied.
type Heat struct {
	Factor float64       // by which times are multiplied
	Rest   time.Duration // in Sleep, after which times are the device's own again

	mu     sync.Mutex
	hot    bool
	rested time.Duration
}

// Begin heats the device up.
func (h *Heat) Begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hot, h.rested = true, 0
}

// Hot reports whether times are multiplied now.
func (h *Heat) Hot() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hot
}

// Sleep rests the device, which cools it. Only Sleep does: a busy machine delays programs at any time, which is no rest.
func (h *Heat) Sleep(ctx context.Context, d time.Duration) {
	began := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rested += time.Since(began)
	h.hot = h.hot && h.rested < h.Rest
}

func (h *Heat) factor() float64 {
	if h.Hot() {
		return h.Factor
	}
	return 1
}

// Slow returns e with queues that report the times of a heated device.
func Slow(e gpu.Engine, h *Heat) gpu.Engine { return &slowEngine{e, h} }

type slowEngine struct {
	gpu.Engine
	heat *Heat
}

// Unwrap returns the wrapped engine.
func (e *slowEngine) Unwrap() gpu.Engine { return e.Engine }

// NewQueue implements gpu.Engine.
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

// Submit implements gpu.Queue.
func (q *slowQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	s, err := q.Queue.Submit(p, repeat)
	if err != nil {
		return nil, err
	}
	return &slowSubmission{s, q.heat.factor()}, nil
}

type slowSubmission struct {
	gpu.Submission
	factor float64
}

// Wait implements gpu.Submission.
func (s *slowSubmission) Wait(ctx context.Context) (gpu.Timing, error) {
	t, err := s.Submission.Wait(ctx)
	t.Device *= s.factor
	t.Wall *= s.factor
	return t, err
}
