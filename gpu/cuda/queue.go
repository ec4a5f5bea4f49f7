//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"errors"
	"slices"
	"sync"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// maxStages is the maximum number of stages of a submission: each takes a driver event.
const maxStages = 1 << 16

// queue implements gpu.Queue. A goroutine waits for its submissions in the order in which they were made.
type queue struct {
	engine *engine
	stream stream
	label  string
	ended  chan struct{} // closed when the goroutine ends

	submit sync.Mutex // held around a submission, so that they are in the order of pending

	mu       sync.Mutex
	changed  sync.Cond // any of the fields below
	pending  []*submission
	starting bool // a submission is being made
	closed   bool
	hung     int // submissions that never ended
}

func newQueue(e *engine, s stream, label string) *queue {
	q := &queue{engine: e, stream: s, label: label, ended: make(chan struct{})}
	q.changed.L = &q.mu
	go q.serve()
	return q
}

// Submit submits repeat runs of a program. It waits while the stream is full, at some hundreds of launches.
func (q *queue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	own, ok := p.(*prepared)
	if !ok || own.engine != q.engine {
		return nil, gpu.Errorf(gpu.ErrInvalid, "submit", "", "queue %q: the program belongs to another engine", q.label)
	}
	if n := len(own.labels); own.staged && repeat > maxStages/max(1, n) {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "submit", own.label, "%d stages × %d, at most %d can be timed", n, repeat, maxStages)
	}
	s := &submission{Submission: enginekit.NewSubmission(), engine: q.engine, program: own, repeat: repeat}
	if err := q.start(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (q *queue) start(s *submission) error {
	q.submit.Lock()
	defer q.submit.Unlock()
	if err := q.reserve(); err != nil {
		return err
	}
	err := s.program.Begin(q, s.repeat)
	if err == nil {
		err = q.send(s)
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

// send submits s. If it fails, nothing of it runs any more, or the device is lost and what it uses is kept.
func (q *queue) send(s *submission) error {
	p := s.program
	if err := q.engine.enter("submit", p.label); err != nil {
		p.Cancel(s.repeat)
		return err
	}
	defer q.engine.leave()
	q.engine.frees.begin()
	r, err := q.submitOwn(p, s.repeat)
	if err == nil {
		s.run = r
		return nil
	}
	var native *codeError
	if errors.As(err, &native) && native.code == codeStuck {
		return q.engine.hang("submit", p.label)
	}
	err = q.engine.failed("submit", p.label, err)
	p.Cancel(s.repeat)
	q.engine.frees.end()
	return err
}

// submitOwn submits to the driver, which loads code when it is first used.
func (q *queue) submitOwn(p *prepared, repeat int) (r run, err error) {
	submit := func() { r, err = q.stream.submit(p.native, repeat, p.staged, q.engine.timeout().Seconds()) }
	if p.ran.Swap(true) {
		submit()
	} else {
		q.engine.code.during(submit)
	}
	return r, err
}

// reserve waits until one more submission may be made. The wait is bounded, since work that hangs times out.
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
		q.stream.free()
	}
	return first, q.hung
}

// Close waits for all submissions. It stops waiting for one that hangs after the timeout of a submission, and returns an error.
func (q *queue) Close() error {
	first, hung := q.shut()
	if !first {
		return gpu.Errorf(gpu.ErrClosed, "close", "", "queue %q", q.label)
	}
	q.engine.mu.Lock()
	delete(q.engine.queues, q)
	q.engine.mu.Unlock()
	if hung > 0 {
		return gpu.Errorf(gpu.ErrTimeout, "close", "", "queue %q: %d submissions never ended; what they use is kept", q.label, hung)
	}
	return nil
}
