package cpu

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// queue implements gpu.Queue: a goroutine takes submissions in order.
type queue struct {
	engine *engine
	stream stream
	label  string

	mu      sync.Mutex
	more    sync.Cond // a submission came, or the queue was closed
	pending []*submission
	closed  bool
	ended   chan struct{}
}

func newQueue(e *engine, s stream, label string) *queue {
	q := &queue{engine: e, stream: s, label: label, ended: make(chan struct{})}
	q.more.L = &q.mu
	go q.serve()
	return q
}

// Submit checks the dispatches and queues them.
func (q *queue) Submit(dispatches ...gpu.Dispatch) (gpu.Submission, error) {
	s := &submission{Submission: enginekit.NewSubmission(), start: time.Now()}
	for i := range dispatches {
		if err := s.add(q.engine, &dispatches[i]); err != nil {
			s.buffers.Drop()
			return nil, err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		s.buffers.Drop()
		return nil, gpu.Errorf(gpu.ErrClosed, "submit", "", "queue %q", q.label)
	}
	q.pending = append(q.pending, s)
	q.more.Signal()
	return s, nil
}

// next waits for the next submission; nil once the queue is closed and empty.
func (q *queue) next() *submission {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) == 0 && !q.closed {
		q.more.Wait()
	}
	if len(q.pending) == 0 {
		return nil
	}
	s := q.pending[0]
	q.pending[0] = nil
	q.pending = q.pending[1:]
	return s
}

func (q *queue) serve() {
	defer close(q.ended)
	for s := q.next(); s != nil; s = q.next() {
		s.run(q.stream)
	}
	q.stream.close()
}

// shut refuses further work and waits for what there is; false if it was called before.
func (q *queue) shut() bool {
	q.mu.Lock()
	first := !q.closed
	q.closed = true
	q.more.Signal()
	q.mu.Unlock()
	<-q.ended
	return first
}

// Close waits for what was submitted.
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
	commands []command
	kernels  []string // name of each command's kernel
	buffers  enginekit.Bindings
	start    time.Time
}

// add checks a dispatch and appends its command.
func (s *submission) add(e *engine, d *gpu.Dispatch) error {
	if err := d.Check(); err != nil {
		return err
	}
	k, ok := d.Kernel.(*kernel)
	if !ok || k.engine != e {
		return gpu.Errorf(gpu.ErrInvalid, "dispatch", d.Kernel.Spec().Name, "the kernel is another engine's")
	}
	c := k.command(d.Params)
	for i, b := range d.Bindings {
		if b.Buffer == nil {
			continue
		}
		own, err := enginekit.Bind[*buffer](&s.buffers, &e.buffers, b.Buffer)
		if err != nil {
			return fmt.Errorf("dispatch %s: argument %s: %w", k.spec.Name, k.spec.Args[i].Name, err)
		}
		c.arg[i] = unsafe.Add(own.mem, b.Offset)
	}
	s.commands = append(s.commands, c)
	s.kernels = append(s.kernels, k.spec.Name)
	return nil
}

func (s *submission) run(on stream) {
	seconds, failed := on.run(s.commands)
	timing := gpu.Timing{Device: seconds, Wall: time.Since(s.start).Seconds()}
	var err error
	if failed >= 0 {
		err = gpu.Errorf(gpu.ErrOutOfMemory, "run", s.kernels[failed], "no scratch memory to pack its operands")
	}
	s.buffers.Drop()
	s.commands = nil
	s.Finish(timing, err)
}
