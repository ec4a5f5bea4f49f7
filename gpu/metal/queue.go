//go:build (darwin || metalsim) && cgo

package metal

import (
	"slices"
	"sync"
	"time"

	"assay/gpu"
	"assay/gpu/enginekit"
)

const (
	// maxSampledRuns is the maximum number of command buffers in all queues that have a counter sample buffer. A process can
	// have 32, as WebKit found; command buffers keep theirs for a moment after they end.
	maxSampledRuns = 24
	// afterLoss is how long work in flight may still take after the device hangs.
	afterLoss = time.Second
)

// queue implements gpu.Queue. A goroutine waits for its command buffers in the order in which they were committed.
type queue struct {
	engine *engine
	native commandQueue
	label  string
	ended  chan struct{} // closed when the goroutine ends

	commit sync.Mutex // held around a commit, so that commits are in the order of pending

	mu       sync.Mutex
	changed  sync.Cond // any of the fields below
	pending  []*submission
	starting bool // a commit is in progress
	closed   bool
	hung     int // submissions that never ended
}

func newQueue(e *engine, c commandQueue, label string) *queue {
	q := &queue{engine: e, native: c, label: label, ended: make(chan struct{})}
	q.changed.L = &q.mu
	go q.serve()
	return q
}

// Submit encodes and commits repeat runs of a program as one command buffer. Submissions of programs whose stages are sampled
// also wait while maxSampledRuns such command buffers of the engine are in flight.
func (q *queue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	own, ok := p.(*prepared)
	if !ok || own.engine != q.engine {
		return nil, gpu.Errorf(gpu.ErrInvalid, "submit", "", "queue %q: the program belongs to another engine", q.label)
	}
	if n := len(own.batch.segments); own.batch.sampled && repeat > maxSampled/max(1, n) {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "submit", own.batch.label,
			"%d stages × %d, at most %d can be sampled by counters", n, repeat, maxSampled)
	}
	s := &submission{Submission: enginekit.NewSubmission(), engine: q.engine, program: own, repeat: repeat}
	if err := q.start(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (q *queue) start(s *submission) error {
	q.commit.Lock()
	defer q.commit.Unlock()
	if err := q.reserve(); err != nil {
		return err
	}
	err := s.program.Begin(q, s.repeat)
	if err == nil {
		if err = q.send(s); err != nil {
			s.program.Cancel(s.repeat)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.starting = false
	if err == nil {
		q.pending = append(q.pending, s)
	}
	q.changed.Broadcast()
	return err
}

func (q *queue) send(s *submission) error {
	if s.program.batch.sampled {
		q.engine.sampling <- struct{}{} // waits at most until the work in flight has ended or timed out
	}
	err := q.commitTo(s)
	if err != nil {
		s.endSampling()
	}
	return err
}

func (q *queue) commitTo(s *submission) error {
	b := &s.program.batch
	if err := q.engine.enter("submit", b.label); err != nil {
		return err
	}
	defer q.engine.leave()
	q.engine.resident.use()
	s.events = s.program.values(s.repeat)
	r, err := q.native.submit(s.program.native, s.repeat, s.events, b.sampled && len(b.segments) > 0)
	if err != nil {
		return gpu.Errorf(refusal(err), "submit", b.label, "%w", err)
	}
	s.run = r
	return nil
}

// reserve waits until one more command buffer may be committed. The wait is bounded, since work that hangs times out.
func (q *queue) reserve() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) >= gpu.QueueDepth && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return gpu.Errorf(gpu.ErrClosed, "submit", "", "queue %q", q.label)
	}
	q.starting = true
	return nil
}

// serve finishes submissions in order until the queue is closed and empty.
func (q *queue) serve() {
	defer close(q.ended)
	for s := q.head(); s != nil; s = q.head() {
		hung := s.finish()
		q.mu.Lock()
		q.pending = slices.Delete(q.pending, 0, 1) // in place, to avoid an allocation
		if hung {
			q.hung++
		}
		q.changed.Broadcast()
		q.mu.Unlock()
	}
}

// head waits for a submission and returns the oldest; nil once the queue is closed and empty.
func (q *queue) head() *submission {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) == 0 && (!q.closed || q.starting) {
		q.changed.Wait()
	}
	if len(q.pending) == 0 {
		return nil
	}
	return q.pending[0]
}

// shut rejects further submissions and waits for those in flight. first is false if it was called before; hung is the number
// of submissions that never ended.
func (q *queue) shut() (first bool, hung int) {
	q.mu.Lock()
	first = !q.closed
	q.closed = true
	q.changed.Broadcast()
	q.mu.Unlock()
	<-q.ended
	if first {
		q.native.release()
	}
	return first, q.hung
}

// Close waits for all submissions. It stops waiting for one that hangs after the timeout of a command buffer, and returns an
// error.
func (q *queue) Close() error {
	first, hung := q.shut()
	if !first {
		return gpu.Errorf(gpu.ErrClosed, "close", "", "queue %q", q.label)
	}
	q.engine.mu.Lock()
	delete(q.engine.queues, q)
	q.engine.mu.Unlock()
	if hung > 0 {
		return gpu.Errorf(gpu.ErrTimeout, "close", "",
			"queue %q: %d command buffers never ended; the device keeps their memory", q.label, hung)
	}
	return nil
}
