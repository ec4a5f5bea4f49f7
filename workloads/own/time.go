package own

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/gpu"
	"assay/internal/stats"
	"assay/workloads/measure"
)

// defaultBudget is how long one measurement takes.
const defaultBudget = time.Second

// onEngine runs, verifies and times the kernel on the engine, at the description's sizes or along a sweep.
func (w *worker) onEngine(ctx context.Context, k *kernel) error {
	d, err := w.open()
	if err != nil {
		return err
	}
	defer d.close()
	w.tellDevice(&d)
	all, err := w.points(k)
	if err != nil {
		return err
	}
	for _, vars := range all {
		if err := w.point(ctx, &d, k, vars); err != nil {
			return err
		}
	}
	return nil
}

// points returns the sizes to run at.
func (w *worker) points(k *kernel) ([]map[string]float64, error) {
	d := k.parser.d
	swept, err := w.swept(k.parser)
	switch {
	case err != nil:
		return nil, err
	case swept == nil:
		return []map[string]float64{d.Values(false)}, nil
	}
	var all []map[string]float64
	for _, v := range swept.Sweep {
		vars := d.Values(false)
		vars[swept.Name] = v
		all = append(all, vars)
	}
	return all, nil
}

// swept returns the size that the job sweeps; nil: none. It must exist and have values.
func (w *worker) swept(p *parser) (*Size, error) {
	if w.job.Sweep == "" {
		return nil, nil
	}
	i := slices.IndexFunc(p.d.Sizes, func(s Size) bool { return s.Name == w.job.Sweep })
	switch {
	case i < 0:
		return nil, w.problem(noSize(p.d, w.job.Sweep))
	case len(p.d.Sizes[i].Sweep) == 0:
		return nil, w.problem(Problem{
			Kind: Invalid, File: p.d.Path, Line: lineOf(p.text, "sizes"), Key: "sizes." + w.job.Sweep, Message: "has no values to sweep: want sweep = [ … ]",
		})
	}
	return &p.d.Sizes[i], nil
}

func noSize(d *Description, name string) Problem {
	return Problem{Kind: Invalid, File: d.Path, Message: fmt.Sprintf("there is no size %q", name)}
}

// point runs the kernel at one set of sizes, verifies it and, if requested, times it.
func (w *worker) point(ctx context.Context, d *device, k *kernel, vars map[string]float64) error {
	r, err := w.verified(ctx, d, k, vars)
	if err != nil {
		return err
	}
	defer r.runner.close()
	if w.job.Do != Timing {
		return nil
	}
	at := len(w.report.Points)
	return w.stage(Measure, func() error {
		if err := w.timing(d); err != nil {
			return err
		}
		if err := w.firstLook(ctx, r); err != nil {
			return err
		}
		all, err := w.measure(ctx, w.budget(), r)
		if err != nil {
			return err
		}
		w.report.Points = append(w.report.Points[:at:at], w.pointOf(r, &all[0]))
		return nil
	})
}

// timing refuses to time a device whose calls a validation layer checks.
func (w *worker) timing(d *device) error {
	if d.engine == nil {
		return nil
	}
	if what := gpu.Validation(d.engine); what != "" {
		return w.problem(Problem{Kind: Refused, Message: "not timed: times do not count while " + what + " is on; start Assay without it"})
	}
	return nil
}

// firstLook times single launches for a moment, so that a time is visible soon; the measurement replaces it.
func (w *worker) firstLook(ctx context.Context, r *ready) error {
	const long, most = 50 * time.Millisecond, 50
	var samples []float64
	for start := time.Now(); len(samples) == 0 || time.Since(start) < long && len(samples) < most; {
		wait, err := r.runner.start(ctx, 1)
		if err != nil {
			return err
		}
		seconds, err := wait()
		if err != nil {
			return err
		}
		samples = append(samples, seconds)
	}
	first := measure.Result{Samples: samples, Time: stats.Median(samples)}
	first.Warnings = []measure.Warning{{Kind: measure.ShortMeasurement, Text: "first look: the measurement continues"}}
	w.report.Points = append(w.report.Points, w.pointOf(r, &first))
	if w.report.First == 0 && verified(r.outputs) {
		w.report.First = time.Since(w.began).Seconds()
	}
	w.tell(w.report)
	return nil
}

func (w *worker) budget() time.Duration { return cmp.Or(w.job.Budget, defaultBudget) }

// ready is a kernel that has run once, correctly.
type ready struct {
	k      *kernel
	c      *call
	runner runner
	// outputs are the results of its latest verification; the report has those of the kernel verified last.
	outputs []Outcome
	again   bool // it has already been verified by the measurement
}

// verified runs the kernel once and compares its outputs with the reference.
func (w *worker) verified(ctx context.Context, d *device, k *kernel, vars map[string]float64) (*ready, error) {
	r := &ready{k: k}
	err := w.stage(Verify, func() (err error) {
		if r.c, err = w.newCall(k, vars); err != nil {
			return err
		}
		if r.runner, err = w.runner(ctx, d, k, r.c); err != nil {
			return err
		}
		if err = w.once(ctx, r); err != nil {
			r.runner.close()
		}
		return err
	})
	return r, err
}

// once resets the buffers, launches the kernel once and verifies its outputs.
func (w *worker) once(ctx context.Context, r *ready) error {
	if err := r.runner.reset(); err != nil {
		return err
	}
	wait, err := r.runner.start(ctx, 1)
	if err == nil {
		_, err = wait()
	}
	if err != nil {
		return err
	}
	if err := r.runner.read(); err != nil {
		return err
	}
	err = w.verify(ctx, r.k, r.c)
	r.outputs = w.report.Outputs
	return err
}

// measure times kernels alternately.
func (w *worker) measure(ctx context.Context, budget time.Duration, all ...*ready) ([]measure.Result, error) {
	var subjects []measure.Subject
	for i, r := range all {
		s := w.subject(r, i)
		if i > 0 {
			s.Against = subjects[0].Name
		}
		subjects = append(subjects, s)
	}
	o := measure.Options{Budget: budget, MinTime: budget / 4, MinSamples: 20, LateSamples: 6}
	results, err := measure.Case(ctx, subjects, o, func(measure.Progress) {})
	if err != nil {
		return nil, err
	}
	for i := range results {
		if results[i].Err != nil {
			return nil, results[i].Err
		}
		if len(results[i].Samples) == 0 {
			return nil, fmt.Errorf("%s: no time was measured", all[i].k.parser.d.Name())
		}
		if !results[i].Check.OK {
			return nil, w.problem(all[i].k.wrong("after it was timed: "+results[i].Check.Failure, &all[i].c.args[0]))
		}
	}
	return results, nil
}

func (w *worker) subject(r *ready, i int) measure.Subject {
	return measure.Subject{
		Name:  fmt.Sprintf("%d %s", i, r.k.parser.d.Name()),
		Alone: true,
		Start: func(ctx context.Context, reps int) (measure.Pending, error) {
			wait, err := r.runner.start(ctx, reps)
			return wait, err
		},
		Check: func(ctx context.Context) (measure.Check, error) { return w.check(ctx, r) },
	}
}

// check verifies the kernel again, in the form that the measurement expects.
func (w *worker) check(ctx context.Context, r *ready) (measure.Check, error) {
	kept := len(w.report.Problems)
	var err error
	if r.again { // the first time, it has just been verified
		err = w.once(ctx, r)
	}
	r.again = true
	c := measure.Check{OK: true}
	for _, o := range r.outputs {
		c.Checked, c.Outputs, c.MaxError = c.Checked+o.Compared, c.Outputs+o.Elements, max(c.MaxError, o.Largest)
	}
	if found := w.report.Problems[kept:]; len(found) > 0 {
		c.OK, c.Failure = false, found[0].Message
		w.report.Problems = w.report.Problems[:kept]
		err = nil
	}
	return c, err
}

// pointOf returns a measurement with its sizes.
func (w *worker) pointOf(r *ready, m *measure.Result) Point {
	p := Point{Sizes: r.c.vars, Time: spanOf(m.Time.Interval), Samples: len(m.Samples), Verified: verified(r.outputs)}
	for _, warning := range m.Warnings {
		p.Warnings = append(p.Warnings, warning.Text)
	}
	d := r.k.parser.d
	if n, err := d.Operations.Value(r.c.vars); err == nil && p.Time.Median > 0 {
		p.Rate = n / p.Time.Median
	}
	if n, err := d.Bytes.Value(r.c.vars); err == nil && p.Time.Median > 0 {
		p.Bytes = n / p.Time.Median
	}
	return p
}

// spanOf converts an interval for reports.
func spanOf(i stats.Interval) Span {
	if math.IsNaN(i.Lo) || math.IsNaN(i.Hi) || math.IsInf(i.Lo, 0) || math.IsInf(i.Hi, 0) {
		return Span{Median: i.Median, Lo: i.Median, Hi: i.Median}
	}
	return Span{i.Median, i.Lo, i.Hi, true}
}

// compare times two kernels alternately; both must run correctly.
func (w *worker) compare(ctx context.Context, base *kernel) error {
	other, err := w.prepare(ctx, &w.job.Other)
	if err != nil {
		return err
	}
	if err := w.checked(ctx, other); err != nil {
		return err
	}
	d, err := w.open()
	if err != nil {
		return err
	}
	defer d.close()
	w.tellDevice(&d)
	var both []*ready
	for _, k := range []*kernel{base, other} {
		r, err := w.verified(ctx, &d, k, k.parser.d.Values(false))
		if err != nil {
			return err
		}
		defer r.runner.close()
		both = append(both, r)
	}
	return w.stage(Measure, func() error {
		if err := w.timing(&d); err != nil {
			return err
		}
		m, err := w.measure(ctx, w.budget(), both...)
		if err != nil {
			return err
		}
		ratio := stats.Speedup(m[0].Samples, m[1].Samples)
		c := &Comparison{
			Base: base.parser.d.Name(), Variant: other.parser.d.Name(), Ratio: spanOf(ratio.Interval),
			Verdict: stats.Rule{Floor: stats.InTurns, Matters: matters}.Judge(ratio.Interval), Points: [2]Point{w.pointOf(both[0], &m[0]), w.pointOf(both[1], &m[1])},
		}
		w.report.Compared, w.report.Points = c, append(w.report.Points, c.Points[:]...)
		w.report.Outputs = outputsOf(both)
		return nil
	})
}

// outputsOf returns the outcomes of several kernels, with the kernels' names.
func outputsOf(kernels []*ready) []Outcome {
	var all []Outcome
	for _, r := range kernels {
		for _, o := range r.outputs {
			o.Name = r.k.parser.d.Name() + ": " + o.Name
			all = append(all, o)
		}
	}
	return all
}

// matters is the relative difference up to which two kernels count as equally fast.
const matters = 0.01
