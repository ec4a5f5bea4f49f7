package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// streams is Work on several queues at once.
type streams struct {
	works []Work
	now   func() time.Time
}

// placed is Work whose command buffers can go to a queue other than the bench's.
type placed interface{ place(q gpu.Queue) }

func place(w Work, q gpu.Queue) {
	if p, ok := w.(placed); ok {
		p.place(q)
	}
}

// Streams runs works concurrently, each in its own queue; a repetition is one of each. The time is the host's, from the
// start of the first to the end of the last, with nothing else in flight. Outputs are verified where possible; the cost
// is the sum, if all have one. The queues belong to the scope.
func (s *Scope) Streams(works ...Work) (Work, error) {
	for i, w := range works {
		q, err := s.bench.Engine.NewQueue(fmt.Sprintf("stream %d", i+1))
		if err != nil {
			return nil, err
		}
		s.queues = append(s.queues, q)
		place(w, q)
	}
	return &streams{works, s.bench.now()}, nil
}

func (s *streams) runsAlone() bool { return true }

// MaxReps is part of Work.
func (s *streams) MaxReps() int {
	limit := 0
	for _, w := range s.works {
		if n := w.MaxReps(); n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	return limit
}

// Reps returns the same number for all streams.
func (s *streams) Reps(reps int) int {
	for asked := 0; asked != reps; {
		asked = reps
		for _, w := range s.works {
			reps = max(reps, w.Reps(reps))
		}
	}
	return reps
}

// Start is part of Work.
func (s *streams) Start(ctx context.Context, reps int) (measure.Pending, error) {
	reps = s.Reps(reps)
	began := s.now()
	var waits []measure.Pending
	join := func() (float64, error) {
		var first error
		for _, wait := range waits { // wait for all, so that none is in flight afterward
			if _, err := wait(); err != nil && first == nil {
				first = err
			}
		}
		return s.now().Sub(began).Seconds() / float64(reps), first
	}
	for _, w := range s.works {
		wait, err := w.Start(ctx, reps)
		if err != nil {
			_, _ = join() // report the error of the start
			return nil, err
		}
		waits = append(waits, wait)
	}
	return join, nil
}

func (s *streams) footprint() int64 {
	var total int64
	for _, w := range s.works {
		total += footprintOf(w)
	}
	return total
}

// Round is part of Verifier: enough for every stream.
func (s *streams) Round() int {
	round := 1
	for _, w := range s.works {
		if v, ok := w.(Verifier); ok {
			round = max(round, v.Round())
		}
	}
	return round
}

// Poison is part of Verifier.
func (s *streams) Poison() error {
	for _, w := range s.works {
		if v, ok := w.(Verifier); ok {
			if err := v.Poison(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Verify is part of Verifier: each stream is compared.
func (s *streams) Verify(ctx context.Context) (measure.Check, error) {
	total := measure.Check{OK: true}
	for i, w := range s.works {
		v, ok := w.(Verifier)
		if !ok {
			continue
		}
		c, err := v.Verify(ctx)
		if err != nil {
			return total, fmt.Errorf("stream %d: %w", i+1, err)
		}
		if !c.OK {
			c.Failure = fmt.Sprintf("stream %d: %s", i+1, c.Failure)
		}
		total.Add(c)
	}
	return total, nil
}

// digested returns the streams with integer outputs.
func (s *streams) digested() (all []digested) {
	for _, w := range s.works {
		if d, ok := w.(digested); ok {
			all = append(all, d)
		}
	}
	return all
}

func (s *streams) digests(seed maphash.Seed) (all []digest, err error) {
	for _, d := range s.digested() {
		some, err := d.digests(seed)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (s *streams) poison(with byte) error {
	for _, d := range s.digested() {
		if err := d.poison(with); err != nil {
			return err
		}
	}
	return nil
}

// digestsOver runs streams together, unless their launches must be verified one by one.
func (s *streams) digestsOver(ctx context.Context, with byte, round int, seed maphash.Seed) (all []digest, err error) {
	if !s.putsBack() {
		return digestsOfRun(ctx, s, with, round, seed)
	}
	for _, d := range s.digested() {
		some, err := d.digestsOver(ctx, with, round, seed)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (s *streams) putsBack() bool { return slices.ContainsFunc(s.digested(), digested.putsBack) }

// Cost is part of Costed; zero if a stream has none.
func (s *streams) Cost() shaders.Cost {
	var total shaders.Cost
	for _, w := range s.works {
		c, ok := w.(Costed)
		if !ok {
			return shaders.Cost{}
		}
		total.Ops += c.Cost().Ops
		total.Bytes += c.Cost().Bytes
	}
	return total
}

// Launches is part of Costed.
func (s *streams) Launches() int {
	total := 0
	for _, w := range s.works {
		if c, ok := w.(Costed); ok {
			total += c.Launches()
		}
	}
	return total
}
