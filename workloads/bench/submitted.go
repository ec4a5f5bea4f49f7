package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/gpu"
	"assay/workloads/measure"
)

// Submitted is work of launches in command buffers of their own, timed by the host: from the first submission until the last one has
// been waited for. Outputs are verified.
type Submitted struct {
	*launches
	now      func() time.Time
	parts    []commandBuffer
	inFlight int
	timings  []gpu.Timing // of the first command buffer of each repetition, since the last poison
}

// commandBuffer is a program and the queue that it goes to.
type commandBuffer struct {
	program gpu.Program
	queue   gpu.Queue
}

// Submitted is work of command buffers, of which up to inFlight are submitted before the oldest is waited for.
//
//go:noinline
func (s *Scope) Submitted(inFlight int, buffers ...[]gpu.Launch) (*Submitted, error) {
	w := s.newSubmitted(inFlight, buffers)
	for _, all := range buffers {
		p, err := s.prepare(gpu.Launches(all...)...)
		if err != nil {
			return nil, err
		}
		w.parts = append(w.parts, commandBuffer{p, s.bench.Queue})
	}
	return w, nil
}

func (s *Scope) newSubmitted(inFlight int, buffers [][]gpu.Launch) *Submitted {
	all := s.Launches(slices.Concat(buffers...)).(*launches)
	return &Submitted{launches: all, now: s.bench.now(), inFlight: max(1, inFlight)}
}

// Relayed is work of command buffers that go to two queues in turn, each of which awaits an event of the one before.
//
//go:noinline
func (s *Scope) Relayed(buffers ...[]gpu.Launch) (*Submitted, error) {
	w := s.newSubmitted(len(buffers), buffers)
	var queues [2]gpu.Queue
	var events [2]gpu.Event // that the queue signals
	for i := range queues {
		var err error
		if queues[i], err = s.bench.Engine.NewQueue(fmt.Sprintf("relay %d", i+1)); err != nil {
			return nil, err
		}
		s.queues = append(s.queues, queues[i])
		if events[i], err = s.bench.Engine.NewEvent(fmt.Sprintf("relay %d", i+1)); err != nil {
			return nil, err
		}
		s.events = append(s.events, events[i])
	}
	for i, all := range buffers {
		commands := gpu.Launches(all...)
		if i > 0 {
			commands = slices.Insert(commands, 0, gpu.Command(gpu.Await{Event: events[(i-1)%2]}))
		}
		if i < len(buffers)-1 {
			commands = append(commands, gpu.Signal{Event: events[i%2]})
		}
		p, err := s.prepare(commands...)
		if err != nil {
			return nil, err
		}
		w.parts = append(w.parts, commandBuffer{p, queues[i%2]})
	}
	return w, nil
}

// now is the host's clock.
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

// Poison is part of Verifier.
func (w *Submitted) Poison() error {
	w.timings = nil
	return w.launches.Poison()
}

// Timings are those of the first command buffer of each repetition.
func (w *Submitted) Timings() []gpu.Timing { return w.timings }

// Start is part of Work.
func (w *Submitted) Start(ctx context.Context, reps int) (measure.Pending, error) {
	b := w.scope.bench
	if err := b.drain(); err != nil {
		return nil, err
	}
	w.written[0] = true
	limited, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	began := w.now()
	for range reps {
		if err := w.once(limited); err != nil {
			return nil, err
		}
	}
	seconds := w.now().Sub(began).Seconds() / float64(reps)
	return func() (float64, error) { return seconds, nil }, nil
}

// once submits each command buffer and waits for it, in the order of submission. What fails to end stays with the bench.
func (w *Submitted) once(ctx context.Context) (first error) {
	var flying []gpu.Submission
	done := 0
	wait := func() {
		s := flying[done]
		t, err := s.Wait(ctx)
		if err != nil && first == nil {
			first = err
		}
		if err != nil && ctx.Err() != nil {
			w.scope.bench.pending = append(w.scope.bench.pending, s)
		}
		if done == 0 && err == nil {
			w.timings = append(w.timings, t)
		}
		done++
	}
	for i := range w.parts {
		for len(flying)-done >= w.inFlight {
			wait()
		}
		if first != nil {
			break
		}
		s, err := w.parts[i].queue.Submit(w.parts[i].program, 1)
		if err != nil {
			first = err
			break
		}
		flying = append(flying, s)
	}
	for done < len(flying) {
		wait()
	}
	return first
}
