package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/internal/stats"
)

// runner measures one case.
type runner struct {
	o        Options
	each     time.Duration // half the budget of two subjects
	start    time.Time
	subjects []Subject
	results  []Result
	elapsed  []time.Duration // recent duration of a sample of each subject; 0: not known
	checking time.Duration   // time of the first verification outside its runs
	looks    looks
	laps     laps

	elsewhere elsewhere
	report    func(Progress)
	phase     Phase         // in progress
	powering  time.Duration // time that measuring energy still takes
	reported  time.Duration // when progress was last reported
}

func newRunner(subjects []Subject, o Options, report func(Progress)) *runner {
	if report == nil {
		report = func(Progress) {}
	}
	each := o.Budget / 2
	if !o.Short {
		o.Budget = each * time.Duration(max(2, len(subjects)))
	}
	r := &runner{
		powering: o.Energy.Expect(len(subjects)),
		o:        o, each: each, start: o.Now(), subjects: subjects, results: make([]Result, len(subjects)),
		elapsed: make([]time.Duration, len(subjects)), report: report, looks: looks{next: o.LateSamples},
	}
	if o.Schedule.Fixed() {
		r.looks.next = math.MaxInt
	}
	for i, s := range subjects {
		r.results[i].Name = s.Name
	}
	return r
}

// alive lists the subjects that have not failed.
func (r *runner) alive() []int {
	var idx []int
	for i := range r.subjects {
		if r.results[i].Err == nil && (r.results[i].Check.OK || r.results[i].Check.Checked == 0) {
			idx = append(idx, i)
		}
	}
	return idx
}

// against returns the index of the alive subject that subject i is compared with; −1 if there is none.
func (r *runner) against(i int, alive []int) int {
	for _, j := range alive {
		if j != i && r.subjects[i].Against != "" && r.subjects[j].Name == r.subjects[i].Against {
			return j
		}
	}
	return -1
}

func (r *runner) spent() time.Duration { return r.o.Now().Sub(r.start) }

// verify checks every subject.
func (r *runner) verify(ctx context.Context) {
	began := r.spent()
	r.check(ctx, Verifying, func(i int) (Check, error) { return r.subjects[i].Check(ctx) })
	r.checking = r.spent() - began
	for i := range r.results {
		c := &r.results[i].Check
		r.elapsed[i] = duration(c.Elapsed)
		r.checking -= duration(c.Elapsed * float64(max(1, c.Reps)))
	}
	r.checking = max(0, r.checking)
	if !r.o.Short { // subjects that cannot run leave no time for the others
		r.o.Budget = r.each * time.Duration(max(2, len(r.alive())))
	}
}

func (r *runner) verifyAgain(ctx context.Context) {
	r.check(ctx, Rechecking, func(i int) (Check, error) { return r.subjects[i].Check(ctx) })
}

// check verifies every subject that has not failed; of two checks, the larger errors count.
func (r *runner) check(ctx context.Context, phase Phase, how func(i int) (Check, error)) {
	for _, i := range r.alive() {
		if ctx.Err() != nil {
			return
		}
		r.progress(phase, i)
		check, err := attempts(ctx, r, i, func() (Check, error) { return how(i) })
		res := &r.results[i]
		if err != nil {
			res.Err = fmt.Errorf("verify: %w", err)
			continue
		}
		check.Checked += res.Check.Checked
		check.Outputs += res.Check.Outputs
		check.Passes = res.Check.Passes + 1
		check.MaxError = max(check.MaxError, res.Check.MaxError)
		check.MaxRel = max(check.MaxRel, res.Check.MaxRel)
		res.Check = check
	}
}

// once takes one sample of subject i.
func (r *runner) once(ctx context.Context, i int) (t float64, ok bool) {
	p := pipeline{runner: r, depth: 1}
	p.push(ctx, i, func(seconds float64) { t, ok = seconds, true })
	p.drain()
	return t, ok
}

// A pipeline keeps a bounded number of samples in flight: a device that waits for the host between samples lowers its clocks.
type pipeline struct {
	*runner
	depth  int
	flight []flying
	since  time.Duration // when the last sample completed, or the first was started
}

type flying struct {
	ctx     context.Context
	subject int
	wait    Pending
	waits   bool // for the device to complete another sample
	done    func(seconds float64)
}

// inFlight is the number of samples kept in flight while sampling.
const inFlight = 2

// push starts a sample of subject i and later calls done with its time. A failed sample is recorded as the subject's error.
func (p *pipeline) push(ctx context.Context, i int, done func(seconds float64)) {
	if err := p.pace(ctx, i); err != nil {
		p.fail(i, err)
		return
	}
	depth := p.depth
	if p.subjects[i].Alone {
		p.drain()
		depth = 1
	}
	if len(p.flight) == 0 {
		p.since = p.spent()
	}
	wait, err := attempts(ctx, p.runner, i, func() (Pending, error) { return p.subjects[i].Start(ctx, p.results[i].Reps) })
	if err != nil {
		p.fail(i, p.named(i, err))
		return
	}
	p.flight = append(p.flight, flying{ctx, i, wait, len(p.flight) > 0, done})
	for len(p.flight) >= depth {
		p.pop()
	}
}

// pop waits for the oldest sample in flight. A failed sample may be taken again before those that follow, so that pairs stay pairs.
func (p *pipeline) pop() {
	f := p.flight[0]
	p.flight = slices.Delete(p.flight, 0, 1)
	wait := f.wait
	t, err := attempts(f.ctx, p.runner, f.subject, func() (float64, error) {
		if wait == nil {
			p.o.Spans.By(p.subjects[f.subject].Name)
			var err error
			if wait, err = p.subjects[f.subject].Start(f.ctx, p.results[f.subject].Reps); err != nil {
				return 0, err
			}
		}
		now := wait
		wait = nil
		return now()
	})
	now := p.spent()
	p.lasted(f.subject, now-p.since)
	if err == nil && f.waits {
		p.elsewhere.add(now-p.since, p.occupied(f.subject, t))
	}
	p.since = now
	if err != nil {
		p.fail(f.subject, p.named(f.subject, err))
		return
	}
	f.done(t)
}

// drain waits for all samples in flight.
func (p *pipeline) drain() {
	for len(p.flight) > 0 {
		p.pop()
	}
}

// ErrOutput is part of the error of work with wrong outputs.
var ErrOutput = errors.New("wrong result")

// named adds the number of the sample to an error about what that sample wrote.
func (r *runner) named(i int, err error) error {
	if r.phase != Sampling || !errors.Is(err, ErrOutput) {
		return err
	}
	return fmt.Errorf("sample %d: %w", len(r.results[i].Samples), err)
}

// fail marks subject i as failed, with its first error.
func (r *runner) fail(i int, err error) {
	if r.results[i].Err == nil {
		r.results[i].Err = err
	}
}

// lasted records the duration of a sample of subject i.
func (r *runner) lasted(i int, d time.Duration) {
	if r.elapsed[i] == 0 {
		r.elapsed[i] = d
	} else {
		r.elapsed[i] += (d - r.elapsed[i]) / 4
	}
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func (r *runner) summarize(ctx context.Context) {
	r.judge(ctx)
	for i := range r.results {
		res := &r.results[i]
		if res.Err != nil || !res.Check.OK {
			res.Samples, res.Time = nil, stats.Median(nil)
			continue
		}
		res.Time = stats.Median(res.Samples)
		res.Outliers = stats.Outliers(res.Samples)
		if r.o.Short {
			res.Warnings = append(res.Warnings, short(res, r.o.Budget))
		}
		res.Warnings = append(append(res.Warnings, res.Check.Warnings...), Warnings(res, r.o)...)
	}
}
