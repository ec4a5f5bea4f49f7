package gputest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// fakeQueue runs each submission on a goroutine that starts when the one before has ended.
type fakeQueue struct {
	engine *Fake
	ended  chan struct{} // closed by Close; hung submissions end then
	end    sync.Once
	last   *fakeSubmission // guarded by engine.mu
	closed bool            // guarded by engine.mu
}

// Submit takes the script's next step.
func (q *fakeQueue) Submit(dispatches ...gpu.Dispatch) (gpu.Submission, error) {
	for i := range dispatches {
		if err := dispatches[i].Check(); err != nil {
			return nil, err
		}
	}
	f := q.engine
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usable("submit"); err != nil {
		return nil, err
	}
	if q.closed {
		return nil, gpu.Errorf(gpu.ErrClosed, "submit", "", "the queue was closed")
	}
	s := &fakeSubmission{
		Submission: enginekit.NewSubmission(), queue: q, before: q.last, timing: gpu.Timing{Device: seconds(dispatches)},
	}
	for i := range dispatches {
		work, err := s.resolve(&dispatches[i])
		if err != nil {
			s.buffers.Drop()
			return nil, err
		}
		s.work = append(s.work, work)
	}
	s.step = f.script.step(f.submissions)
	if s.step.Seconds > 0 {
		s.timing.Device = s.step.Seconds
	}
	s.timing.Wall = s.timing.Device + fakeOverhead
	f.submissions++
	f.lost = f.lost || errors.Is(s.step.Err, gpu.ErrDeviceLost)
	q.last = s
	go s.run()
	return s, nil
}

// Close waits for what was submitted. Hung submissions fail.
func (q *fakeQueue) Close() error {
	f := q.engine
	f.mu.Lock()
	again, last := q.closed, q.last
	q.closed = true
	delete(f.queues, q)
	f.mu.Unlock()
	q.end.Do(func() { close(q.ended) })
	if last != nil {
		<-last.Done()
	}
	if again {
		return gpu.Errorf(gpu.ErrClosed, "close queue", "", "it was closed before")
	}
	return nil
}

// fakeWork is one dispatch with its memory, which stays even if the buffers are released meanwhile.
type fakeWork struct {
	spec      *shaders.Kernel
	constants shaders.Constants
	params    any
	args      []shaders.View
}

// resolve checks what Dispatch.Check cannot: whose kernel and buffers these are.
func (s *fakeSubmission) resolve(d *gpu.Dispatch) (fakeWork, error) {
	f := s.queue.engine
	k, ok := d.Kernel.(*fakeKernel)
	if !ok || k.engine != f {
		return fakeWork{}, gpu.Errorf(gpu.ErrInvalid, "dispatch", d.Kernel.Spec().Name, "the kernel is another engine's")
	}
	w := fakeWork{spec: &k.spec, constants: k.constants, params: d.Params, args: make([]shaders.View, len(d.Bindings))}
	for i, bind := range d.Bindings {
		if bind.Buffer == nil {
			continue
		}
		arg := &k.spec.Args[i]
		b, err := enginekit.Bind[*fakeBuffer](&s.buffers, &f.buffers, bind.Buffer)
		if err != nil {
			return fakeWork{}, fmt.Errorf("dispatch %s: argument %s: %w", k.spec.Name, arg.Name, err)
		}
		w.args[i] = shaders.View{Type: arg.Type, Data: b.data[bind.Offset:][:k.spec.Bytes(i, d.Params)]}
	}
	return w, nil
}

// compute sets every element of every output to its reference, the last output first: a quantiser's codes are
// judged by the scales and zero points stored behind them.
func (w *fakeWork) compute() {
	for _, arg := range slices.Backward(w.spec.Outputs()) {
		for i := range w.spec.Args[arg].Len(w.params) {
			w.args[arg].Set(i, w.spec.Reference(w.params, w.constants, w.args, arg, i).Want)
		}
	}
}

// spoil makes the middle element of every output wrong by more than any tolerance.
func (w *fakeWork) spoil() {
	for _, arg := range w.spec.Outputs() {
		n := w.spec.Args[arg].Len(w.params)
		if n == 0 {
			continue
		}
		v := w.args[arg]
		was, wrong := v.At(n/2), 7.0
		switch {
		case v.Type == shaders.F32 || v.Type == shaders.F16:
			wrong = 2*was + 1000
		case was > 0:
			wrong = -7
		}
		v.Set(n/2, wrong)
	}
}

// fakeSubmission is one submission of a fakeQueue.
type fakeSubmission struct {
	enginekit.Submission
	queue   *fakeQueue
	before  *fakeSubmission // nil for the first
	work    []fakeWork
	buffers enginekit.Bindings
	step    Step
	timing  gpu.Timing // unless it fails
}

func (s *fakeSubmission) run() {
	if s.before != nil {
		<-s.before.Done()
		s.before = nil
	}
	err := s.outcome()
	s.buffers.Drop()
	s.work = nil
	s.Finish(s.timing, err)
}

// outcome does the work, or what the script has instead.
func (s *fakeSubmission) outcome() error {
	switch {
	case s.step.Hang:
		<-s.queue.ended
		return gpu.Errorf(gpu.ErrTimeout, "run", s.kernel(), "the submission hung until its queue was closed")
	case s.step.Err != nil:
		return gpu.Errorf(s.step.Err, "run", s.kernel(), "scripted for this submission")
	}
	for i := range s.work {
		s.work[i].compute()
		if s.step.Wrong {
			s.work[i].spoil()
		}
	}
	return nil
}

// kernel is the one that an error of the submission names: its first.
func (s *fakeSubmission) kernel() string {
	if len(s.work) == 0 {
		return ""
	}
	return s.work[0].spec.Name
}
