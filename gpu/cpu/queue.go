package cpu

import (
	"context"
	"slices"
	"sync"
	"time"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// queue implements gpu.Queue: a goroutine runs submissions in order.
type queue struct {
	engine *engine
	stream stream
	label  string

	mu      sync.Mutex
	changed sync.Cond     // any of the fields below
	pending []*submission // in flight, the oldest first
	closed  bool
	ended   chan struct{}
}

func newQueue(e *engine, s stream, label string) *queue {
	q := &queue{engine: e, stream: s, label: label, ended: make(chan struct{})}
	q.changed.L = &q.mu
	go q.serve()
	return q
}

// Submit queues repeat runs of a program. Runs that take less time than handing them to another goroutine are executed at once,
// if the queue is idle.
func (q *queue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	own, ok := p.(*prepared)
	if !ok || own.engine != q.engine {
		return nil, gpu.Errorf(gpu.ErrInvalid, "submit", "", "queue %q: the program belongs to another engine", q.label)
	}
	start := time.Now()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) >= gpu.QueueDepth && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return nil, gpu.Errorf(gpu.ErrClosed, "submit", "", "queue %q", q.label)
	}
	if err := own.Begin(q, repeat); err != nil {
		return nil, err
	}
	s := &submission{Submission: enginekit.NewSubmission(), program: own, repeat: repeat, start: start, staged: own.staged}
	if len(q.pending) == 0 && own.Brief(repeat) {
		s.run(q.stream, true)
		return s, nil
	}
	q.pending = append(q.pending, s)
	q.changed.Broadcast()
	return s, nil
}

// head waits for a submission and returns the oldest; nil once the queue is closed and empty.
func (q *queue) head() *submission {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.pending) == 0 {
		return nil
	}
	return q.pending[0]
}

func (q *queue) serve() {
	defer close(q.ended)
	for s := q.head(); s != nil; s = q.head() {
		s.run(q.stream, false)
		q.mu.Lock()
		q.pending = slices.Delete(q.pending, 0, 1) // in place, to avoid an allocation
		q.changed.Broadcast()
		q.mu.Unlock()
	}
	q.stream.close()
}

// shut rejects further submissions and waits for those in flight; false if it was called before.
func (q *queue) shut() bool {
	q.mu.Lock()
	first := !q.closed
	q.closed = true
	q.changed.Broadcast()
	q.mu.Unlock()
	<-q.ended
	return first
}

// Close waits for all submissions.
func (q *queue) Close() error {
	if !q.shut() {
		return gpu.Errorf(gpu.ErrClosed, "close", "", "queue %q", q.label)
	}
	q.engine.mu.Lock()
	defer q.engine.mu.Unlock()
	delete(q.engine.queues, q)
	return nil
}

// submission implements gpu.Submission.
type submission struct {
	enginekit.Submission
	program *prepared
	repeat  int
	start   time.Time
	staged  bool
	stages  []gpu.Stage // set before it ends
}

// Stages waits like Wait and returns the time of each command of each run.
func (s *submission) Stages(ctx context.Context) ([]gpu.Stage, error) {
	if !s.staged {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "stages", "", "the program was encoded without stages")
	}
	if _, err := s.Wait(ctx); err != nil {
		return nil, err
	}
	return s.stages, nil
}

func (s *submission) run(on stream, brief bool) {
	p := s.program
	var times []float64
	if s.staged {
		times = make([]float64, s.repeat*len(p.commands.list))
	}
	begun := time.Now()
	seconds, failed := on.run(&p.commands, s.repeat, brief, times)
	for i, t := range times {
		s.stages = append(s.stages, gpu.Stage{Label: p.labels[i%len(p.labels)], Seconds: t})
	}
	timing := gpu.Timing{Device: seconds, Wall: time.Since(s.start).Seconds(), Gap: begun.Sub(s.start).Seconds()}
	var err error
	if failed >= 0 {
		err = gpu.Errorf(gpu.ErrOutOfMemory, "run", p.labels[failed], "no scratch memory to pack its operands")
	}
	s.program = nil // even if the caller keeps the submission
	p.End()
	s.Finish(timing, err)
}
