package gputest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// fakeQueue runs each submission on a goroutine that starts when the one before has ended.
type fakeQueue struct {
	engine *Fake
	ended  chan struct{} // closed by Close; hung submissions end then
	end    sync.Once
	last   *fakeSubmission // guarded by engine.mu
	closed bool            // guarded by engine.mu
}

// Submit runs the script's next step.
func (q *fakeQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	f := q.engine
	own, ok := p.(*fakeProgram)
	if !ok || own.engine != f {
		return nil, gpu.Errorf(gpu.ErrInvalid, "submit", "", "the program belongs to another engine")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usable("submit"); err != nil {
		return nil, err
	}
	if q.closed {
		return nil, gpu.Errorf(gpu.ErrClosed, "submit", "", "the queue was closed")
	}
	if err := own.Begin(q, repeat); err != nil {
		return nil, err
	}
	s := &fakeSubmission{
		Submission: enginekit.NewSubmission(), queue: q, before: q.last, program: own, repeat: repeat,
		timing: gpu.Timing{Device: float64(repeat) * own.seconds}, step: f.script.step(f.submissions),
	}
	s.addEvents()
	if s.step.Seconds > 0 {
		s.timing.Device = s.step.Seconds
	}
	if f.script.Slow != nil {
		s.timing.Device *= f.script.Slow(f.submissions)
	}
	s.timing.Wall = s.timing.Device + fakeOverhead
	f.submissions++
	if own.Launches() > 0 && own.stages == nil {
		f.launching = f.submissions
	}
	f.lost = f.lost || errors.Is(s.step.Err, gpu.ErrDeviceLost)
	q.last = s
	go s.run()
	return s, nil
}

// Close waits for all submissions. Hung submissions fail.
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

// fakeSubmission is one submission of a fakeQueue.
type fakeSubmission struct {
	enginekit.Submission
	queue   *fakeQueue
	before  *fakeSubmission // nil for the first
	program *fakeProgram
	repeat  int
	awaits  []*fakeSubmission // those that signal what this one awaits
	step    Step
	timing  gpu.Timing // unless it fails
}

// addEvents records which submissions this one waits for, and that others may wait for it. The caller holds the engine's mu.
func (s *fakeSubmission) addEvents() {
	for range s.repeat {
		for _, e := range s.program.signals {
			e.pending = append(e.pending, s)
		}
		for _, e := range s.program.awaits {
			s.awaits = append(s.awaits, e.pending[0])
			e.pending = e.pending[1:]
		}
	}
}

// Stages waits like Wait and divides the time among the commands by their cost.
func (s *fakeSubmission) Stages(ctx context.Context) ([]gpu.Stage, error) {
	if s.program.stages == nil {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "stages", "", "the program was encoded without stages")
	}
	timing, err := s.Wait(ctx)
	if err != nil {
		return nil, err
	}
	share := timing.Device / (float64(s.repeat) * s.program.seconds)
	all := slices.Repeat(s.program.stages, s.repeat)
	for i := range all {
		all[i].Seconds *= share
	}
	return all, nil
}

func (s *fakeSubmission) run() {
	if s.before != nil {
		<-s.before.Done()
		s.before = nil
	}
	err := s.outcome()
	s.awaits = nil
	s.program.End()
	s.Finish(s.timing, err)
}

// outcome runs the work, or does what the script specifies instead.
func (s *fakeSubmission) outcome() error {
	for _, other := range s.awaits {
		select {
		case <-other.Done():
		case <-s.queue.ended:
			return gpu.Errorf(gpu.ErrTimeout, "run", s.program.kernel, "what it awaits had not ended when its queue was closed")
		}
	}
	switch {
	case s.step.Hang:
		<-s.queue.ended
		return gpu.Errorf(gpu.ErrTimeout, "run", s.program.kernel, "the submission hung until its queue was closed")
	case s.step.Err != nil:
		return gpu.Errorf(s.step.Err, "run", s.program.kernel, "scripted for this submission")
	}
	for range s.repeat {
		for _, do := range s.program.work {
			do(s.step.Wrong)
		}
	}
	return nil
}
