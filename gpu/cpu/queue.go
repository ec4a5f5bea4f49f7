package cpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"assay/gpu"
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
	s := &submission{start: time.Now(), done: make(chan struct{})}
	for i := range dispatches {
		if err := s.add(q.engine, &dispatches[i]); err != nil {
			s.drop()
			return nil, err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		s.drop()
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
	commands []command
	kernels  []string  // name of each command's kernel
	buffers  []*buffer // retained until the work is done
	start    time.Time

	done   chan struct{} // closed when what follows is set
	timing gpu.Timing
	err    error
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
		own, err := s.hold(e, b.Buffer)
		if err != nil {
			return fmt.Errorf("dispatch %s: argument %s: %w", k.spec.Name, k.spec.Args[i].Name, err)
		}
		c.arg[i] = unsafe.Add(own.mem, b.Offset)
	}
	s.commands = append(s.commands, c)
	s.kernels = append(s.kernels, k.spec.Name)
	return nil
}

// hold retains the engine's buffer behind b.
func (s *submission) hold(e *engine, b gpu.Buffer) (*buffer, error) {
	inner, err := gpu.Resolve(b)
	if err != nil {
		return nil, err
	}
	own, ok := inner.(*buffer)
	if !ok || own.engine != e {
		return nil, gpu.Errorf(gpu.ErrInvalid, "bind", "", "the buffer is another engine's")
	}
	if err := own.retain("bind"); err != nil {
		return nil, err
	}
	s.buffers = append(s.buffers, own)
	return own, nil
}

func (s *submission) drop() {
	for _, b := range s.buffers {
		b.drop()
	}
	s.buffers = nil
}

func (s *submission) run(on stream) {
	seconds, failed := on.run(s.commands)
	s.timing = gpu.Timing{Device: seconds, Wall: time.Since(s.start).Seconds()}
	if failed >= 0 {
		s.timing = gpu.Timing{}
		s.err = gpu.Errorf(gpu.ErrOutOfMemory, "run", s.kernels[failed], "no scratch memory to pack its operands")
	}
	s.drop()
	s.commands = nil
	close(s.done)
}

// Wait returns when the work is done or ctx ends, whichever is seen first; work that is done wins.
func (s *submission) Wait(ctx context.Context) (gpu.Timing, error) {
	select {
	case <-s.done:
		return s.timing, s.err
	default:
	}
	select {
	case <-s.done:
		return s.timing, s.err
	case <-ctx.Done():
		return gpu.Timing{}, waitError(ctx)
	}
}

func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("wait: %w: %w", gpu.ErrTimeout, ctx.Err())
	}
	return fmt.Errorf("wait: %w", ctx.Err())
}
