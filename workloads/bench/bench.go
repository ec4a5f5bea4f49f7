// Package bench owns the environment that a workload runs in: variants and the kinds of work they do, buffers and their scope, and
// verification of results.
package bench

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"assay/gpu"
	"assay/workloads"
	"assay/workloads/measure"
)

// Bench is one run of a workload: its environment, parameters and results so far.
type Bench struct {
	*workloads.Env
	done, total int
	results     []workloads.Result
	series      workloads.Packed                       // results of Follow, which come after results
	used        map[[2]string][]workloads.KernelChoice // by case and variant
	told        int                                    // how many of these the observer has
	open        []string                               // sentences about what has no conclusion
	tellers     map[string]string                      // for each thing reported only once, the case that reports it
	tunables    []tunable                              // that the run sets
	// pending are command buffers whose wait was abandoned.
	pending []gpu.Submission
}

// New returns a bench in env. The ledger records the caller's line for each buffer that it acquires.
func New(env *workloads.Env) *Bench {
	env.Pool.AddHelper(reflect.TypeFor[Bench]().PkgPath())
	return &Bench{Env: env, used: map[[2]string][]workloads.KernelChoice{}}
}

// Run turns a function of a bench into a workload's Run. The error wraps ErrPending if a command buffer is still in
// flight at the end.
func Run(work func(ctx context.Context, b *Bench, v workloads.Values) error) func(context.Context, *workloads.Env, workloads.Values) error {
	return func(ctx context.Context, env *workloads.Env, v workloads.Values) error {
		b := New(env)
		b.tunables = tunablesOf(v)
		err := work(ctx, b, v)
		if err == nil {
			b.noteIdle()
		}
		if len(b.pending) > 0 {
			err = errors.Join(err, workloads.ErrPending)
		}
		return err
	}
}

// Case is one setting and the variants to compare at it.
type Case struct {
	Name     string
	Settings workloads.Point
	// Build allocates and fills buffers from the scope; they are released after the case.
	Build func(s *Scope) ([]Variant, error)
	// Adjust adds values to the results that are derived from all of them; nil: none.
	Adjust func(results []workloads.Result)
	// Split returns the results to emit instead, such as one per part of what was measured; nil: none.
	Split func(results []workloads.Result) []workloads.Result
}

// Variant is one way to do the work of a case.
type Variant struct {
	Name     string
	Settings []workloads.Setting // in addition to the case's, for axes that differ between variants
	Work     Work                // nil if Err is set
	Items    float64             // items processed per repetition; 0: not counted
	// Baseline names the variant to compare with; empty: none.
	Baseline string
	// Notes are warnings added to the result, if the variant was measured.
	Notes []workloads.Warning
	// Adjust adds workload-specific values to the result.
	Adjust func(r *workloads.Result)
	// Err says why the variant cannot be measured; the others still are.
	Err error
}

// Results returns the results of this run so far.
func (b *Bench) Results() []workloads.Result {
	if b.series.Len() == 0 {
		return b.results
	}
	return slices.Concat(b.results, b.series.All())
}

// MeasureAll measures the cases one after another. A case that cannot be built or run becomes a result with the reason;
// only a canceled ctx or a lost device stops the rest. Cases whose results are known from an earlier run are not measured, and are not
// part of the progress.
func (b *Bench) MeasureAll(ctx context.Context, cases []Case) error {
	kept := make([][]workloads.Result, len(cases))
	for i := range cases {
		if kept[i] = b.earlier(cases[i].Name); len(kept[i]) == 0 {
			b.total++
		}
	}
	return b.anchored(ctx, cases, kept)
}

// earlier returns the results of a case that need not be measured again.
func (b *Bench) earlier(caseName string) []workloads.Result {
	if b.Earlier == nil {
		return nil
	}
	return b.Earlier(caseName)
}

// MeasurePoints measures one case for each point of the workload's sweeps.
func (b *Bench) MeasurePoints(ctx context.Context, v workloads.Values, build func(at workloads.Point) Case) error {
	var cases []Case
	for _, at := range b.Workload.Points(v) {
		cases = append(cases, build(at))
	}
	return b.MeasureAll(ctx, cases)
}

// measure adds the results of a case. sampled is called once its samples have been taken; nil: nothing is done.
func (b *Bench) measure(ctx context.Context, c *Case, sampled func(context.Context)) error {
	if err := b.ready(ctx, c); err != nil {
		return err
	}
	if b.Inputs != nil {
		b.Inputs.NextCase()
	}
	scope := &Scope{bench: b, ctx: ctx, c: c}
	defer b.leave(scope)
	b.Spans.Of(b.Workload.Name, c.Name)
	defer b.Spans.End()
	started := time.Now()
	scope.enter(measure.Preparing)
	variants, err := c.Build(scope)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b.add(b.broken(c, started, err))
		return stopping(err)
	}
	for i := range variants {
		v := &variants[i]
		if err := stopping(v.Err); err != nil {
			b.add(b.broken(c, started, err))
			return err
		}
		if v.Err != nil {
			v.Work = nil
		}
	}
	options := b.Options
	options.Sampled, options.Again, options.Spans, options.Duty = sampled, b.again, b.Spans, b.Duty
	options.SampleTime = cmp.Or(options.SampleTime, b.Engine.Info().SampleTime)
	if options.Short { // a user waits: build time counts
		options.Budget = max(time.Millisecond, options.Budget-time.Since(started))
	}
	results, err := measure.Case(ctx, scope.subjects(variants), options, func(p measure.Progress) {
		b.progress(c, p)
		if p.Phase.Level() {
			b.Observer.Iteration(c.Name)
		}
	})
	if err != nil {
		return err
	}
	kernels := scope.timeKernels(ctx, variants, results)
	return b.collect(c, started, variants, results, kernels)
}

// ready waits for anything still in flight, and lets the run do what it does before each case.
func (b *Bench) ready(ctx context.Context, c *Case) error {
	if err := cmp.Or(ctx.Err(), b.drain()); err != nil || b.Between == nil {
		return err
	}
	return b.Between(ctx, c.Name)
}

// leave releases what a case owned, and lets the run do what it does after each case.
func (b *Bench) leave(s *Scope) {
	s.Release()
	if b.After != nil && b.drain() == nil {
		b.After(s.c.Name)
	}
}

func (b *Bench) progress(c *Case, p measure.Progress) {
	b.Observer.Progress(workloads.Progress{Workload: b.Workload.Name, Case: c.Name, Done: b.done, Total: b.total, Measure: p})
}

func (s *Scope) subjects(variants []Variant) []measure.Subject {
	subjects := make([]measure.Subject, len(variants))
	for i := range variants {
		subjects[i] = s.subject(&variants[i])
	}
	return subjects
}

// collect turns measurements into results, compares variants with their baselines, and adds them.
func (b *Bench) collect(c *Case, started time.Time, variants []Variant, measured []measure.Result, kernels []string) error {
	var fatal error
	all := make([]workloads.Result, len(variants))
	for i := range variants {
		if variants[i].Err != nil {
			measured[i].Err = variants[i].Err
		}
		all[i] = b.result(c, started, &variants[i], &measured[i])
		if kernels[i] != "" {
			all[i].Values.SetText(workloads.KernelTimes, kernels[i])
		}
		fatal = errors.Join(fatal, stopping(measured[i].Err))
	}
	for i := range variants {
		compare(all, i, variants[i].Baseline)
		if adjust := variants[i].Adjust; adjust != nil {
			adjust(&all[i])
		}
	}
	if c.Adjust != nil {
		c.Adjust(all)
	}
	if c.Split != nil {
		all = c.Split(all)
	}
	b.add(all...)
	return fatal
}

// tell passes the next n results to the observer.
func (b *Bench) tell(n int) {
	if n == 0 {
		return
	}
	b.told += n
	b.tellKernels(b.results[b.told-n : b.told])
	b.Observer.Results(b.results[b.told-n : b.told]...)
}

// add adds derived values to results, which the observer does not have yet.
func (b *Bench) add(rs ...workloads.Result) {
	b.complete(rs)
	b.results = append(b.results, rs...)
}

// complete gives new results an ID and their derived values.
func (b *Bench) complete(rs []workloads.Result) {
	metrics := workloads.Metrics().With(b.Workload.Metrics...)
	for i := range rs {
		rs[i].Job, rs[i].ID = b.Job, workloads.ResultID(b.Job, len(b.results)+b.series.Len()+i)
		metrics.Derive(&rs[i].Values)
	}
}

// emitPoint passes the result of a window to the observer and keeps it packed: a series may have hundreds of them.
func (b *Bench) emitPoint(r workloads.Result) {
	rs := []workloads.Result{r}
	b.complete(rs)
	b.tellKernels(rs)
	delete(b.used, [2]string{r.Case, r.Variant})
	b.Observer.Results(rs...)
	r = rs[0]
	r.Samples, r.SetAside = nil, nil // the observer has them
	b.series.Add(&r)
}

// Find emits findings and marks the results that they point at. Short measurements have no findings.
func (b *Bench) Find(all ...workloads.Finding) {
	if b.Options.Short {
		return
	}
	set := b.adjustment()
	for _, f := range all {
		if set != "" && f.Facts.Subject.Name != "" {
			f.Facts.Subject.Name += " with " + set
		}
		b.Workload.Word(&f)
		if f.Kind == workloads.KindNone && slices.Contains(b.open, f.Text) {
			continue // the answer to several questions
		}
		if f.Kind == workloads.KindNone {
			b.open = append(b.open, f.Text)
		}
		if !f.Mark(b.results) {
			b.series.Mark(f)
		}
		b.Observer.Finding(f)
	}
}

// again reports whether failed work may succeed when it is submitted again: a command buffer failed, or ran out of memory, on a device
// that is still present. In the latter case, what the pool caches is freed first.
func (b *Bench) again(err error) bool {
	switch {
	case stopping(err) != nil || errors.Is(err, gpu.ErrTimeout) || gpu.Lost(b.Engine) != nil:
		return false
	case errors.Is(err, gpu.ErrOutOfMemory):
		_, cleared := b.Pool.Clear()
		return cleared == nil
	}
	return errors.Is(err, gpu.ErrExecution)
}

// stopping returns err if measuring more cases is pointless.
func stopping(err error) error {
	if errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrClosed) {
		return err
	}
	return nil
}
