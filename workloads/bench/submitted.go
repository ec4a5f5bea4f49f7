package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Submitted is the work of command buffers on the host's clock, from the first submission until the last one has been waited for. Outputs
// of launches are verified.
type Submitted struct {
	*launches
	// Before runs at the start of each repetition; nil: nothing runs.
	Before   func() error
	now      func() time.Time
	buffers  []commandBuffer
	inFlight int
	noted    bool         // the timing of this sample
	timings  []gpu.Timing // of the first command buffer of each sample
	staged   bool         // its commands are timed individually
	stages   []float64    // seconds for the commands of these command buffers
	trace    bool         // command buffers are recorded
	recorded int          // repetitions
	traced   [][]Flight   // by repetition
}

// commandBuffer is a program and the queue that it goes to.
type commandBuffer struct {
	program gpu.Program
	queue   gpu.Queue
}

// Encoded is a list of commands in a separate command buffer, and the queue it goes to: 0 is the bench's.
type Encoded struct {
	Queue      int
	Commands   []gpu.Command
	Concurrent bool // independent launches may run concurrently
	Stages     bool // each command is timed by its own counters; for work of one command buffer
}

// Submitted is the work of command buffers of launches, of which up to inFlight are submitted before the oldest is waited for.
//
//go:noinline
func (s *Scope) Submitted(inFlight int, buffers ...[]gpu.Launch) (*Submitted, error) {
	var list []Encoded
	for _, all := range buffers {
		list = append(list, Encoded{Commands: gpu.Launches(all...)})
	}
	w, err := s.Scheduled(slices.Concat(buffers...), list...)
	if err == nil {
		w.inFlight = max(1, inFlight)
	}
	return w, err
}

// Scheduled is the work of command buffers that are all submitted, in order, before any is waited for. Of the launches whose outputs
// it leaves, those in `verified` are compared; no two of them write the same memory.
//
//go:noinline
func (s *Scope) Scheduled(verified []gpu.Launch, list ...Encoded) (*Submitted, error) {
	w := &Submitted{launches: s.Launches(verified).(*launches), now: s.bench.now(), inFlight: len(list)}
	queues := []gpu.Queue{s.bench.Queue}
	for _, e := range list {
		for len(queues) <= e.Queue {
			q, err := s.bench.Engine.NewQueue(fmt.Sprintf("queue %d", len(queues)+1))
			if err != nil {
				return nil, err
			}
			s.queues, queues = append(s.queues, q), append(queues, q)
		}
		p, err := s.encode(e)
		if err != nil {
			return nil, err
		}
		w.buffers = append(w.buffers, commandBuffer{p, queues[e.Queue]})
		w.staged = w.staged || e.Stages
	}
	return w, nil
}

// encode creates the program of a command buffer.
func (s *Scope) encode(e Encoded) (gpu.Program, error) {
	if !e.Concurrent && !e.Stages {
		return s.prepare(e.Commands...)
	}
	encoder, can := gpu.As[gpu.Encoder](s.bench.Engine)
	if !can {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "prepare", "", "the %s engine encodes programs in one way", s.bench.Engine.Info().Engine)
	}
	p, err := encoder.PrepareWith(gpu.Encoding{Concurrent: e.Concurrent, Stages: e.Stages}, e.Commands...)
	if err == nil {
		s.programs = append(s.programs, p)
	}
	return p, err
}

// Event returns an event between command buffers.
func (s *Scope) Event(label string) (gpu.Event, error) {
	e, err := s.bench.Engine.NewEvent(label)
	if err == nil {
		s.events = append(s.events, e)
	}
	return e, err
}

// Relayed is the work of command buffers that alternate between two queues, each awaiting an event of the previous one.
//
//go:noinline
func (s *Scope) Relayed(buffers ...[]gpu.Launch) (*Submitted, error) {
	var events [2]gpu.Event // signaled by the queue
	for i := range events {
		var err error
		if events[i], err = s.Event(fmt.Sprintf("relay %d", i+1)); err != nil {
			return nil, err
		}
	}
	var list []Encoded
	for i, all := range buffers {
		commands := gpu.Launches(all...)
		if i > 0 {
			commands = slices.Insert(commands, 0, gpu.Command(gpu.Await{Event: events[(i-1)%2]}))
		}
		if i < len(buffers)-1 {
			commands = append(commands, gpu.Signal{Event: events[i%2]})
		}
		list = append(list, Encoded{Queue: i % 2, Commands: commands})
	}
	return s.Scheduled(slices.Concat(buffers...), list...)
}

// now returns the host's clock.
func (b *Bench) now() func() time.Time {
	if b.Options.Now != nil {
		return b.Options.Now
	}
	return time.Now
}

func (w *Submitted) runsAlone() bool { return true }

// Reps is part of Work.
func (w *Submitted) Reps(reps int) int { return max(1, reps) }

// MaxReps is part of Work.
func (w *Submitted) MaxReps() int { return 0 }

// Cost is part of Costed: of all command buffers.
func (w *Submitted) Cost() shaders.Cost {
	var total shaders.Cost
	for _, b := range w.buffers {
		total = total.Add(b.program.Cost())
	}
	return total
}

// Launches is part of Costed.
func (w *Submitted) Launches() int {
	total := 0
	for _, b := range w.buffers {
		total += b.program.Launches()
	}
	return total
}

// Timings returns those of the first command buffer of each sample, including warm-ups.
func (w *Submitted) Timings() []gpu.Timing { return w.timings }

// Stages returns the seconds of each of their commands, for work that is timed by stages.
func (w *Submitted) Stages() []float64 { return w.stages }

// count records the times of the commands of s.
func (w *Submitted) count(ctx context.Context, s gpu.Submission) error {
	list, err := gpu.Stages(ctx, s)
	if err != nil {
		return err
	}
	for _, stage := range list {
		if stage.Why != "" {
			return gpu.Errorf(gpu.ErrUnsupported, "stages", stage.Label, "no time: %s", stage.Why)
		}
		w.stages = append(w.stages, stage.Seconds)
	}
	return nil
}

// Start is part of Work.
func (w *Submitted) Start(ctx context.Context, reps int) (measure.Pending, error) {
	b := w.scope.bench
	if err := b.drain(); err != nil {
		return nil, err
	}
	w.written[0] = true
	limited, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	flight := b.Spans.Flight(time.Now())
	began := w.now()
	for i := range reps {
		w.noted = i > 0
		if w.Before != nil {
			if err := w.Before(); err != nil {
				return nil, err
			}
		}
		if err := w.once(limited); err != nil {
			return nil, err
		}
	}
	seconds := w.now().Sub(began).Seconds() / float64(reps)
	flight.Wall, flight.Device, flight.Gap, flight.Launches = time.Since(flight.From).Seconds(), math.NaN(), math.NaN(), reps*w.Launches()
	b.Spans.Flew(flight)
	return func() (float64, error) { return seconds, nil }, nil
}

// once submits each command buffer and waits for it, in the order of submission. Anything that fails to end stays with the bench.
func (w *Submitted) once(ctx context.Context) (first error) {
	var flying []gpu.Submission
	done, rec := 0, w.recorder()
	wait := func() {
		s := flying[done]
		t, err := s.Wait(ctx)
		rec.waited(done, t)
		if err != nil && first == nil {
			first = err
		}
		if err != nil && ctx.Err() != nil {
			w.scope.bench.pending = append(w.scope.bench.pending, s)
		}
		if !w.noted && err == nil {
			w.timings, w.noted = append(w.timings, t), true
			if w.staged {
				first = w.count(ctx, s)
			}
		}
		done++
	}
	for i := range w.buffers {
		for len(flying)-done >= w.inFlight {
			wait()
		}
		if first != nil {
			break
		}
		rec.submit()
		s, err := w.buffers[i].queue.Submit(w.buffers[i].program, 1)
		if err != nil {
			first = err
			break
		}
		rec.submitted()
		flying = append(flying, s)
	}
	for done < len(flying) {
		wait()
	}
	if first == nil {
		w.keep(rec)
	}
	return first
}
