package bench

import (
	"context"
	"hash/maphash"
	"sync"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Work is what a variant does, any number of times.
type Work interface {
	// Start begins repetitions, back to back, without waiting for work in flight.
	Start(ctx context.Context, reps int) (measure.Pending, error)
	// Reps is how many repetitions Start runs when asked for the given number: at least that many.
	Reps(reps int) int
	// MaxReps bounds the repetitions of one sample; 0: no bound.
	MaxReps() int
}

// Verifier is Work whose outputs can be compared with a reference. Other work is right if it returns no error.
type Verifier interface {
	// Round is the number of repetitions that write all outputs.
	Round() int
	// Poison fills the outputs with a pattern that cannot pass for a result.
	Poison() error
	// Verify compares the outputs written since Poison with the reference.
	Verify(ctx context.Context) (measure.Check, error)
}

// Costed is Work with a known cost, and launches, per repetition.
type Costed interface {
	Cost() shaders.Cost
	Launches() int
}

// alone is Work that must not overlap other work: it runs on the host, or in queues that do not wait for other samples.
type alone interface{ runsAlone() bool }

// host is Work on the host.
type host func(ctx context.Context, reps int) (float64, error)

// Host is Work on the host without dispatches, such as compiling or filling a pool: f repeats it and returns the
// seconds per repetition.
func Host(f func(ctx context.Context, reps int) (float64, error)) Work { return host(f) }

func (h host) Start(ctx context.Context, reps int) (measure.Pending, error) {
	seconds, err := h(ctx, reps)
	return func() (float64, error) { return seconds, err }, err
}

func (host) MaxReps() int { return 0 }

func (host) Reps(reps int) int { return reps }

func (host) runsAlone() bool { return true }

// stateful is Work that is reset before each start.
type stateful struct {
	Work
	reset func(ctx context.Context) error
	last  measure.Pending // of the previous start; nil: none
}

// Stateful is Work whose repetitions change their own input; reset restores it. It first waits for work in flight, so
// that nothing changes while the device reads it. It can be verified, and has a cost, if w can and has.
func Stateful(w Work, reset func(ctx context.Context) error) Work {
	s := &stateful{Work: w, reset: reset}
	v, verifies := w.(Verifier)
	c, costed := w.(Costed)
	switch {
	case verifies && costed:
		return struct {
			*stateful
			Verifier
			Costed
		}{s, v, c}
	case verifies:
		return struct {
			*stateful
			Verifier
		}{s, v}
	case costed:
		return struct {
			*stateful
			Costed
		}{s, c}
	}
	return s
}

func (s *stateful) footprint() int64 { return footprintOf(s.Work) }

func (s *stateful) runsAlone() bool { return runsAlone(s.Work) }

func (s *stateful) place(q gpu.Queue) { place(s.Work, q) }

func (s *stateful) digests(seed maphash.Seed) ([]digest, error) { return digestsOf(s.Work, seed) }

func (s *stateful) poison(with byte) error { return poisonOf(s.Work, with) }

// Start resets and begins.
func (s *stateful) Start(ctx context.Context, reps int) (measure.Pending, error) {
	if s.last != nil {
		_, _ = s.last() // its caller gets the error
	}
	if err := s.reset(ctx); err != nil {
		return nil, err
	}
	wait, err := s.Work.Start(ctx, reps)
	if err != nil {
		return nil, err
	}
	s.last = sync.OnceValues(wait)
	return s.last, nil
}

// subject turns a variant into a subject of a measurement.
func (s *Scope) subject(v *Variant) measure.Subject {
	subject := measure.Subject{
		Name: v.Name, Against: v.Baseline,
		Check:        func(ctx context.Context) (measure.Check, error) { return check(ctx, v) },
		Poison:       func() error { return nil },
		CheckWritten: func(context.Context) (measure.Check, error) { return measure.Check{OK: true}, nil },
	}
	if v.Work == nil {
		return subject
	}
	subject.Start, subject.MaxReps, subject.Alone = v.Work.Start, v.Work.MaxReps(), runsAlone(v.Work)
	if p, ok := v.Work.(Verifier); ok {
		subject.Poison, subject.CheckWritten = p.Poison, p.Verify
	}
	return subject
}

func runsAlone(w Work) bool {
	a, ok := w.(alone)
	return ok && a.runsAlone()
}

// run does work and waits for it.
func run(ctx context.Context, w Work, reps int) (float64, error) {
	wait, err := w.Start(ctx, reps)
	if err != nil {
		return 0, err
	}
	return wait()
}

// check poisons the outputs, runs the work until all are written and compares them. Work without outputs is right if it
// does not fail.
func check(ctx context.Context, v *Variant) (measure.Check, error) {
	if v.Err != nil {
		return measure.Check{}, v.Err
	}
	p, verifies := v.Work.(Verifier)
	round := 1
	if verifies {
		if err := p.Poison(); err != nil {
			return measure.Check{}, err
		}
		round = p.Round()
	}
	seconds, err := run(ctx, v.Work, round)
	if err != nil {
		return measure.Check{}, err
	}
	c := measure.Check{OK: true}
	if verifies {
		c, err = p.Verify(ctx)
	}
	c.Elapsed, c.Reps = seconds, v.Work.Reps(round)
	if err == nil && c.OK {
		c.Failure, err = verifyIntegers(ctx, v.Work, round)
		c.OK = c.Failure == ""
	}
	return c, err
}

// cost is what a repetition of a variant costs, and how many launches it has.
func (v *Variant) cost() (shaders.Cost, int) {
	if c, ok := v.Work.(Costed); ok {
		return c.Cost(), c.Launches()
	}
	return shaders.Cost{}, 0
}
