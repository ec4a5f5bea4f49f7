package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// maxLaunches bounds one command buffer.
const maxLaunches = 4096

// launches is Work consisting of launches, which each sample repeats in one command buffer.
type launches struct {
	scope    *Scope
	queue    gpu.Queue               // nil: the bench's
	sets     [][]gpu.Launch          // each does the whole work, on its own operands
	programs map[segment]gpu.Program // encoded when first used
	at       *int                    // the set that samples have reached, shared by all variants that share the sets
	written  []bool                  // sets whose outputs were written since the last poison
	verified uint64                  // number of verifications so far, each at different elements
	beside   bool                    // independent launches may run concurrently
	inPlace  *inPlace                // for in-out arguments; nil: there are none
	whole    Whole                   // nil: only each launch is compared with its reference

	witnesses *witnesses // by which each sample is verified
}

// Whole compares what launches leave together, once all have run.
type Whole func(ctx context.Context) (measure.Check, error)

// segment is a part of the ring of sets.
type segment struct{ first, count int }

// Launches is the work of launches. Several sets do the same on their own operands, and repetitions cycle through them:
// together they can be larger than any cache. A sample continues with the set after the last one of the previous sample, even if that
// belonged to another variant built with For: it reads what has gone unread the longest.
// In-out arguments must already hold their operand; it is restored before each sample and each verification.
//
//go:noinline
func (s *Scope) Launches(sets ...[]gpu.Launch) Work {
	l := &launches{scope: s, sets: sets, programs: map[segment]gpu.Program{}, written: make([]bool, len(sets))}
	if l.at = new(int); s.alike != nil {
		l.at = &s.alike.at
	}
	l.inPlace, l.witnesses = newInPlace(l), newWitnesses(l)
	return l
}

// Judged is the work of launches whose combined result `whole` compares. None of their arguments is both read and written,
// unless they write it first: each repetition leaves the same result.
//
//go:noinline
func (s *Scope) Judged(whole Whole, all []gpu.Launch) Work {
	l := s.Launches(all).(*launches)
	l.whole = whole
	return l
}

// Concurrent is the work of launches of which independent ones may run concurrently; ErrUnsupported says why the
// engine cannot run them that way.
//
//go:noinline
func (s *Scope) Concurrent(all []gpu.Launch) (Work, error) {
	l := s.Launches(all).(*launches)
	l.beside = true
	_, err := l.program(segment{0, 1})
	return l, err
}

func (l *launches) place(q gpu.Queue) { l.queue = q }

// submit starts a program in the work's queue.
func (l *launches) submit(ctx context.Context, p gpu.Program, repeat int) (func() (gpu.Timing, error), error) {
	q := l.queue
	if q == nil {
		q = l.scope.bench.Queue
	}
	return l.scope.bench.start(ctx, q, p, repeat)
}

// segments returns the number of equal segments that the ring is split into for samples of the given repetitions, and the sets in
// each. The last segment may wrap around.
func (l *launches) segments(reps int) (n, count int) {
	round := len(l.sets)
	n = max(1, round/max(1, reps))
	return n, (round + n - 1) / n
}

// Reps is part of Work: one segment of the ring, or a whole number of rounds.
func (l *launches) Reps(reps int) int {
	_, count := l.segments(reps)
	return (max(1, reps) + count - 1) / count * count
}

// MaxReps is part of Work.
func (l *launches) MaxReps() int {
	round := len(l.sets)
	return round * max(1, maxLaunches/max(1, round*l.Launches()))
}

// Round is part of Verifier.
func (l *launches) Round() int { return len(l.sets) }

// Launches is part of Costed.
func (l *launches) Launches() int { return len(l.sets[0]) }

// Cost is part of Costed.
func (l *launches) Cost() shaders.Cost { return gpu.CostOf(gpu.Launches(l.sets[0]...)...) }

// footprint returns the bytes that all sets read and write; an operand of several launches counts once.
func (l *launches) footprint() int64 {
	sizes := map[gpu.Binding]int64{}
	for _, d := range slices.Concat(l.sets...) {
		if d.Kernel == nil {
			continue
		}
		k := d.Kernel.Spec()
		for i := range k.Args {
			if b := d.Bindings[i]; b.Buffer != nil {
				sizes[b] = max(sizes[b], int64(k.Bytes(i, d.Params)))
			}
		}
	}
	var total int64
	for _, n := range sizes {
		total += n
	}
	return total
}

// upcoming returns the segment that the next sample takes, and how many there are.
func (l *launches) upcoming(reps int) (at segment, n int) {
	n, count := l.segments(reps)
	return segment{(*l.at + count - 1) / count % n * count, count}, n
}

// Start is part of Work.
func (l *launches) Start(ctx context.Context, reps int) (measure.Pending, error) {
	at, _ := l.upcoming(reps)
	count := at.count
	program, err := l.program(at)
	if err != nil {
		return nil, err
	}
	reps = l.Reps(reps)
	restored := func() error { return nil }
	if l.inPlace != nil {
		if restored, err = l.inPlace.restore(ctx, at); err != nil {
			return nil, err
		}
	}
	wait, err := l.submit(ctx, program, reps/count)
	if err != nil {
		return nil, errors.Join(err, restored())
	}
	if *l.at = at.first + count; *l.at >= len(l.sets) {
		*l.at = 0
	}
	for i := range count {
		l.written[(at.first+i)%len(l.sets)] = true
	}
	return func() (float64, error) {
		t, err := wait() // which completes after the other
		if err == nil {
			err = restored()
		}
		return t.Device / float64(reps), err
	}, nil
}

// program returns the encoded segment.
func (l *launches) program(at segment) (gpu.Program, error) {
	if p, ok := l.programs[at]; ok {
		return p, nil
	}
	var all []gpu.Launch
	for i := range at.count {
		all = append(all, l.sets[(at.first+i)%len(l.sets)]...)
	}
	p, err := l.scope.encode(Encoded{Commands: gpu.Launches(all...), Concurrent: l.beside})
	if err == nil {
		l.programs[at] = p
	}
	return p, err
}

// Poison is part of Verifier. As f32 or f16 the poison is NaN, so an unwritten element cannot pass for a result. In-out
// arguments are not poisoned: launches read them.
func (l *launches) Poison() error { return l.poison(gpu.PoisonByte) }

func (l *launches) poison(with byte) error {
	clear(l.written)
	if l.inPlace != nil {
		if err := errors.Join(l.inPlace.keep(), l.inPlace.look()); err != nil {
			return err
		}
	}
	poisoned := map[gpu.Buffer]bool{}
	for _, d := range slices.Concat(l.sets...) {
		for _, arg := range d.Kernel.Spec().Outputs() {
			b := d.Bindings[arg].Buffer
			if poisoned[b] || d.Kernel.Spec().Args[arg].Access == shaders.InOut {
				continue
			}
			if err := b.Fill(with); err != nil {
				return err
			}
			poisoned[b] = true
		}
	}
	return nil
}

// runTimeout bounds one command buffer on engines without a limit. With the largest parameters a slow device may need
// longer, and then fails with ErrTimeout.
const runTimeout = 60 * time.Second

// start submits a program as one command buffer, after those in flight in the queue, and returns how to wait for it.
func (b *Bench) start(ctx context.Context, q gpu.Queue, p gpu.Program, repeat int) (wait func() (gpu.Timing, error), err error) {
	if err := b.drain(); err != nil {
		return nil, err
	}
	began := time.Now()
	sub, err := q.Submit(p, repeat)
	if err != nil {
		return nil, err
	}
	flight := b.Spans.Flight(began)
	flight.Submitted, flight.Launches = time.Since(began).Seconds(), p.Launches()*repeat
	return func() (gpu.Timing, error) {
		t, err := b.wait(ctx, sub)
		if err == nil {
			b.flew(flight, t)
		}
		return t, err
	}, nil
}

// flew records a command buffer that has ended.
func (b *Bench) flew(f measure.Flight, t gpu.Timing) {
	f.Wall, f.Device, f.Gap = t.Wall, t.Device, t.Gap
	if b.Spans != nil && b.Engine.Info().GapWhy != "" {
		f.Gap = math.NaN()
	}
	b.Spans.Flew(f)
}

func (b *Bench) wait(ctx context.Context, sub gpu.Submission) (gpu.Timing, error) {
	wait, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	t, err := sub.Wait(wait)
	if err != nil && wait.Err() != nil {
		b.pending = append(b.pending, sub)
	}
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		return t, gpu.Errorf(gpu.ErrTimeout, "dispatch", "", "no answer within %v: %w", runTimeout, err)
	}
	return t, err
}

// drainTimeout is how long an abandoned command buffer may continue to run: far longer than any measured one.
const drainTimeout = 2 * time.Second

// drain waits for abandoned command buffers; ErrTimeout if one does not complete.
func (b *Bench) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	for len(b.pending) > 0 {
		if _, err := b.pending[0].Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
			return gpu.Errorf(gpu.ErrTimeout, "dispatch", "", "an earlier command buffer is still running")
		}
		b.pending = b.pending[1:]
	}
	return nil
}
