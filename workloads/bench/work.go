package bench

import (
	"context"

	"assay/shaders"
	"assay/workloads/measure"
)

// Work is what a variant does, any number of times.
type Work interface {
	// Start begins repetitions, back to back, without waiting for work in flight.
	Start(ctx context.Context, reps int) (measure.Pending, error)
	// Reps returns how many repetitions Start runs when asked for the given number: at least that many.
	Reps(reps int) int
	// MaxReps bounds the repetitions of one sample; 0: no bound.
	MaxReps() int
}

// Verifier is Work whose outputs can be compared with a reference. Other work is considered right if it returns no error.
type Verifier interface {
	// Round returns the number of repetitions that write all outputs.
	Round() int
	// Poison fills the outputs with a pattern that cannot pass for a result.
	Poison() error
	// Verify compares the outputs written since Poison with the reference.
	Verify(ctx context.Context) (measure.Check, error)
}

// Costed is Work with a known cost and number of launches per repetition.
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
	subject.Start, subject.MaxReps, subject.Alone = sampler(v.Work), v.Work.MaxReps(), runsAlone(v.Work)
	subject.Occupies = func(reps int, each float64) float64 { return float64(v.Work.Reps(reps)) * (each + setup(v.Work)) }
	if p, ok := v.Work.(Verifier); ok {
		subject.Poison, subject.CheckWritten = p.Poison, p.Verify
	}
	return subject
}

// launchSetup is how long a device may take per launch before a command buffer runs: about 0.2 µs were seen with thousands in one.
const launchSetup = 0.5e-6

// setup returns how long the device may prepare for a repetition of work.
func setup(w Work) float64 {
	if c, ok := w.(Costed); ok {
		return launchSetup * float64(c.Launches())
	}
	return 0
}

func runsAlone(w Work) bool {
	a, ok := w.(alone)
	return ok && a.runsAlone()
}

// run runs work and waits for it.
func run(ctx context.Context, w Work, reps int) (float64, error) {
	wait, err := w.Start(ctx, reps)
	if err != nil {
		return 0, err
	}
	return wait()
}

// check poisons the outputs, runs the work until all are written, and compares them. Work without outputs is right if it
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

// cost returns the cost of a repetition of a variant, and its number of launches.
func (v *Variant) cost() (shaders.Cost, int) {
	if c, ok := v.Work.(Costed); ok {
		return c.Cost(), c.Launches()
	}
	return shaders.Cost{}, 0
}
