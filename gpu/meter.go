package gpu

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"assay/shaders"
)

// Totals is what the engines of a Meter have done since the meter was created.
type Totals struct {
	// InFlight is the number of submissions not yet known to have ended. They become known when a Wait sees the end, or when
	// the queue is closed.
	InFlight    int64
	Submissions int64   // that succeeded
	Failures    int64   // that ended with an error; counted nowhere else
	Dispatches  int64   // launches in successful submissions, as are the figures below
	Ops         float64 // arithmetic operations, from the commands' Cost
	Bytes       float64 // bytes moved, from the commands' Cost
	Seconds     float64 // device time
}

// Meter counts what the engines it wraps complete. It does not change what they do.
type Meter struct {
	mu     sync.Mutex
	totals Totals
}

// NewMeter returns a meter at zero.
func NewMeter() *Meter { return &Meter{} }

// Totals returns the count so far.
func (m *Meter) Totals() Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.totals
}

// Wrap makes this meter count e's work. Use the returned engine instead of e.
func (m *Meter) Wrap(e Engine) Engine {
	return &meteredEngine{Engine: e, meter: m, queues: map[*meteredQueue]struct{}{}}
}

func (m *Meter) add(t Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.totals.InFlight += t.InFlight
	m.totals.Submissions += t.Submissions
	m.totals.Failures += t.Failures
	m.totals.Dispatches += t.Dispatches
	m.totals.Ops += t.Ops
	m.totals.Bytes += t.Bytes
	m.totals.Seconds += t.Seconds
}

type meteredEngine struct {
	Engine
	meter *Meter

	mu     sync.Mutex
	queues map[*meteredQueue]struct{} // open ones
}

// Unwrap returns the metered engine.
func (e *meteredEngine) Unwrap() Engine { return e.Engine }

// NewQueue opens a queue whose submissions are counted.
func (e *meteredEngine) NewQueue(label string) (Queue, error) {
	q, err := e.Engine.NewQueue(label)
	if err != nil {
		return nil, err
	}
	metered := &meteredQueue{Queue: q, engine: e, pending: map[*meteredSubmission]struct{}{}}
	e.mu.Lock()
	e.queues[metered] = struct{}{}
	e.mu.Unlock()
	return metered, nil
}

// Close closes the engine, which waits for all queues.
func (e *meteredEngine) Close() error {
	err := e.Engine.Close()
	e.mu.Lock()
	queues := slices.Collect(maps.Keys(e.queues))
	clear(e.queues)
	e.mu.Unlock()
	for _, q := range queues {
		q.countEnded()
	}
	return err
}

type meteredQueue struct {
	Queue
	engine *meteredEngine

	mu      sync.Mutex
	pending map[*meteredSubmission]struct{} // not yet known to have ended
}

// Submit counts the submission as in flight.
func (q *meteredQueue) Submit(p Program, repeat int) (Submission, error) {
	s, err := q.Queue.Submit(p, repeat)
	if err != nil {
		return nil, err
	}
	n, cost := float64(repeat), p.Cost()
	metered := &meteredSubmission{
		Submission: s, queue: q, dispatches: int64(repeat) * int64(p.Launches()),
		cost: shaders.Cost{Ops: n * cost.Ops, Bytes: n * cost.Bytes},
	}
	q.mu.Lock()
	q.pending[metered] = struct{}{}
	q.mu.Unlock()
	q.engine.meter.add(Totals{InFlight: 1})
	return metered, nil
}

// Close waits for everything submitted and counts it.
func (q *meteredQueue) Close() error {
	err := q.Queue.Close()
	q.countEnded()
	q.engine.mu.Lock()
	delete(q.engine.queues, q)
	q.engine.mu.Unlock()
	return err
}

// countEnded counts submissions of a closed queue that nobody waited for.
func (q *meteredQueue) countEnded() {
	q.mu.Lock()
	left := slices.Collect(maps.Keys(q.pending))
	q.mu.Unlock()
	for _, s := range left {
		_, _ = s.Wait(context.Background()) // it has ended; its error is for the one who waits, and counted
	}
}

type meteredSubmission struct {
	Submission
	queue      *meteredQueue
	dispatches int64
	cost       shaders.Cost
}

// Unwrap returns the metered submission.
func (s *meteredSubmission) Unwrap() Submission { return s.Submission }

// Wait counts the end of the submission if it is the first to see it.
func (s *meteredSubmission) Wait(ctx context.Context) (Timing, error) {
	timing, err := s.Submission.Wait(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return timing, err // the wait ended, not the work
	}
	if s.first() {
		s.queue.engine.meter.add(s.ended(timing, err))
	}
	return timing, err
}

func (s *meteredSubmission) first() bool {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	_, first := s.queue.pending[s]
	delete(s.queue.pending, s)
	return first
}

func (s *meteredSubmission) ended(timing Timing, err error) Totals {
	if err != nil {
		return Totals{InFlight: -1, Failures: 1}
	}
	return Totals{
		InFlight: -1, Submissions: 1, Dispatches: s.dispatches, Ops: s.cost.Ops, Bytes: s.cost.Bytes, Seconds: timing.Device,
	}
}
