package bench

import (
	"context"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Renewed is work that takes its buffers from the pool at the start of each repetition and returns them at its end, like a
// program that keeps nothing from one epoch to the next. Its time is the host's, from the first buffer to the last.
type Renewed struct {
	scope  *Scope
	steps  []Step
	given  Buffers // kept across repetitions: inputs, and what the steps overwrite
	reset  []gpu.Command
	repeat int
	clear  bool
	set    Work // the same steps on buffers that stay, for verification
	pace   *Pacer
	looks  bool          // checks words that each repetition leaves
	aside  time.Duration // time spent on that, which is not part of a sample
	// Created is how many buffers the engine created in the last repetition, Held the bytes that it held from the pool.
	Created, Held int64
}

// Renewed is the work of steps that each repetition runs `repeat` times, on new buffers. What the steps overwrite is restored
// first. With clear, the pool is emptied at the start of each repetition.
//
//go:noinline
func (s *Scope) Renewed(steps []Step, inputs Buffers, repeat int, clear bool) (*Renewed, error) {
	operands, err := Operands(steps)
	if err != nil {
		return nil, err
	}
	r := &Renewed{scope: s, steps: steps, given: Buffers{}, repeat: repeat, clear: clear}
	for _, o := range operands {
		if !o.Input {
			continue
		}
		if r.given[o.Label], err = s.operand(o, inputs); err != nil {
			return nil, err
		}
		if o.InPlace {
			r.reset = append(r.reset, gpu.Copy{
				From: gpu.Binding{Buffer: inputs[o.Label]}, To: gpu.Binding{Buffer: r.given[o.Label]}, Bytes: aligned(o.Type.Bytes(o.Elements)),
			})
		}
	}
	list, err := s.Chain(steps, inputs)
	if err != nil {
		return nil, err
	}
	r.set = s.Launches(list)
	return r, nil
}

// Start is part of Work: the work is done when it returns.
func (r *Renewed) Start(ctx context.Context, reps int) (measure.Pending, error) {
	began := time.Now()
	r.aside = 0
	for range reps {
		if err := r.once(ctx); err != nil {
			return nil, err
		}
	}
	seconds := (time.Since(began) - r.aside).Seconds() / float64(reps)
	return func() (float64, error) { return seconds, nil }, nil
}

// once runs a repetition.
//
//go:noinline
func (r *Renewed) once(ctx context.Context) error {
	pool := r.scope.bench.Pool
	if r.clear { // at the start: another variant's repetition may be next
		if _, err := pool.Clear(); err != nil {
			return err
		}
	}
	before := pool.Stats()
	s := r.scope.bench.NewScope(ctx)
	err := r.run(ctx, s)
	r.Held = pool.Stats().LiveBytes - before.LiveBytes
	s.Release()
	r.Created = pool.Stats().Creates - before.Creates
	return err
}

// run acquires the buffers from s and runs the steps.
//
//go:noinline
func (r *Renewed) run(ctx context.Context, s *Scope) error {
	operands, err := Operands(r.steps)
	if err != nil {
		return err
	}
	all := Buffers{}
	for _, o := range operands {
		if all[o.Label] = r.given[o.Label]; o.Input {
			continue
		}
		if all[o.Label], err = s.Buffer(o.Type, o.Elements, o.Label); err != nil {
			return err
		}
	}
	list, err := s.bind(r.steps, all)
	if err != nil {
		return err
	}
	if len(r.reset) > 0 {
		if _, err := s.timed(ctx, 1, r.reset...); err != nil {
			return err
		}
	}
	pace := s.Pace(list)
	pace.Like(r.pace)
	r.pace = pace
	if !r.looks {
		return pace.Run(ctx, r.repeat)
	}
	words := r.words(list)
	if err := r.untimed(func() error { return poisonAll(words) }); err != nil {
		return err
	}
	if err := pace.Run(ctx, r.repeat); err != nil {
		return err
	}
	return r.untimed(func() error { return r.set.(*launches).witnesses.lookAt(ending{reps: r.repeat}, words) })
}

// Sample is part of sampled.
func (r *Renewed) Sample(ctx context.Context, reps int) (measure.Pending, error) {
	r.looks = true
	defer func() { r.looks = false }()
	return r.Start(ctx, reps)
}

// words returns some of the words by which the steps are verified, located where the launches of a repetition write them.
func (r *Renewed) words(list []gpu.Launch) []witness {
	words := r.set.(*launches).witnesses.of(slot{at: segment{0, 1}})
	for i := range words {
		w := &words[i]
		w.at = list[w.number].Bindings[w.arg]
		w.at.Offset += w.first
	}
	return words
}

// untimed does something that is not part of a sample.
func (r *Renewed) untimed(do func() error) error {
	began := time.Now()
	err := do()
	r.aside += time.Since(began)
	return err
}

// MaxReps is part of Work.
func (r *Renewed) MaxReps() int { return 0 }

// Reps is part of Work.
func (r *Renewed) Reps(reps int) int { return reps }

func (r *Renewed) runsAlone() bool { return true }

func (r *Renewed) footprint() int64 { return footprintOf(r.set) }

// Cost is part of Costed.
func (r *Renewed) Cost() shaders.Cost {
	c := r.set.(Costed).Cost()
	c.Ops, c.Bytes = c.Ops*float64(r.repeat), c.Bytes*float64(r.repeat)
	return c
}

// Launches is part of Costed.
func (r *Renewed) Launches() int { return r.repeat * r.set.(Costed).Launches() }

// Round is part of Verifier.
func (r *Renewed) Round() int { return 1 }

// Poison is part of Verifier: poisoning happens during verification.
func (r *Renewed) Poison() error { return nil }

// Verify is part of Verifier: it runs the same steps once, on buffers that stay, and compares what they wrote.
func (r *Renewed) Verify(ctx context.Context) (measure.Check, error) {
	return check(ctx, &Variant{Work: r.set})
}
