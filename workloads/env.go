package workloads

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"assay/gpu"
	"assay/workloads/measure"
)

// Observer hears what a workload does. Its methods are called from the workload's goroutine and must return at once.
type Observer interface {
	Progress(Progress)
	// Results are those of one case, all at once, so that what is written holds whole cases.
	Results(...Result)
	Finding(Finding)
	// Iteration is called whenever the live buffers should be the same as at the last call within the same case.
	Iteration(caseName string)
}

// Progress is where a run of a workload stands.
type Progress struct {
	Workload string
	Case     string
	Done     int // cases
	Total    int
	Measure  measure.Progress
}

// Env is what a workload runs in.
type Env struct {
	Workload string
	Engine   gpu.Engine
	Queue    gpu.Queue
	Pool     *gpu.Pool
	Options  measure.Options
	Seed     uint64
	Observer Observer
	// Keep holds what cases build from one to the next; nil keeps nothing.
	Keep *Keep

	done, total int
	results     []Result
	// behind is a command buffer whose wait was given up; nil when none is known to be running.
	behind gpu.Submission
}

// Case is one setting, with the variants to compare there.
type Case struct {
	Name     string
	Settings []Setting
	// Build allocates and fills buffers from the scope, which are released after the case.
	Build func(s *Scope) ([]Variant, error)
}

// Variant is one way to do a case's work.
type Variant struct {
	Name       string
	Settings   []Setting // beyond the case's, for axes that differ between variants
	Dispatches []gpu.Dispatch
	Items      float64
	// Baseline names the variant to compare with; empty means none.
	Baseline string
	// Adjust completes the result with what only the workload knows.
	Adjust func(r *Result)
	// Err says why the variant cannot be measured; the others still are.
	Err error
}

// Results are those so far, of this run of the workload.
func (e *Env) Results() []Result { return e.results }

// MeasureAll measures the cases one after another. A case that cannot be built or run is a result that says why; only
// the end of ctx and a lost device stop the rest.
func (e *Env) MeasureAll(ctx context.Context, cases []Case) error {
	e.total += len(cases)
	for i := range cases {
		if err := e.measure(ctx, &cases[i]); err != nil {
			return err
		}
		e.done++
	}
	return nil
}

func (e *Env) measure(ctx context.Context, c *Case) error {
	if err := cmp.Or(ctx.Err(), e.settle()); err != nil {
		return err
	}
	if e.Keep != nil {
		e.Keep.turn++
	}
	scope := &Scope{env: e, ctx: ctx, c: c}
	defer scope.release()
	started := time.Now()
	scope.enter(measure.Preparing)
	variants, err := c.Build(scope)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.emit(e.broken(c, started, err))
		return stopping(err)
	}
	for i := range variants {
		v := &variants[i]
		if err := stopping(v.Err); err != nil {
			e.emit(e.broken(c, started, err))
			return err
		}
		if v.Err != nil {
			v.Dispatches = nil // they may be incomplete
		}
	}
	options := e.Options
	if options.Brief { // someone waits: what was built is part of it
		options.Budget = max(time.Millisecond, options.Budget-time.Since(started))
	}
	results, err := measure.Case(ctx, e.subjects(variants), options, func(p measure.Progress) {
		e.progress(c, p)
		e.Observer.Iteration(c.Name)
	})
	if err != nil {
		return err
	}
	return e.collect(c, started, variants, results)
}

func (e *Env) progress(c *Case, p measure.Progress) {
	e.Observer.Progress(Progress{Workload: e.Workload, Case: c.Name, Done: e.done, Total: e.total, Measure: p})
}

func (e *Env) subjects(variants []Variant) []measure.Subject {
	subjects := make([]measure.Subject, len(variants))
	for i := range variants {
		subjects[i] = e.subject(&variants[i])
	}
	return subjects
}

// collect turns measurements into results, compares variants with their baselines, and emits them.
func (e *Env) collect(c *Case, started time.Time, variants []Variant, measured []measure.Result) error {
	var fatal error
	all := make([]Result, len(variants))
	for i := range variants {
		if variants[i].Err != nil {
			measured[i].Err = variants[i].Err
		}
		all[i] = e.result(c, started, &variants[i], &measured[i])
		fatal = errors.Join(fatal, stopping(measured[i].Err))
	}
	for i := range variants {
		compare(all, i, variants[i].Baseline)
		if adjust := variants[i].Adjust; adjust != nil {
			adjust(&all[i])
		}
	}
	e.emit(all...)
	return fatal
}

func (e *Env) emit(rs ...Result) {
	e.results = append(e.results, rs...)
	e.Observer.Results(rs...)
}

// Find emits a finding, and marks the result that it points at. Nothing is found in a brief measurement.
func (e *Env) Find(f Finding) {
	if e.Options.Brief {
		return
	}
	f.Workload = e.Workload
	f.Mark(e.results)
	e.Observer.Finding(f)
}

func (e *Env) result(c *Case, started time.Time, v *Variant, m *measure.Result) Result {
	r := newResult()
	r.Workload, r.Case, r.Variant, r.Started = e.Workload, c.Name, v.Name, started
	r.Settings = slices.Concat(c.Settings, v.Settings)
	r.Time, r.Samples, r.Outliers, r.Reps, r.Warmups, r.Stop = m.Time, m.Samples, m.Outliers, m.Reps, m.Warmups, m.Stop
	r.Warnings = m.Warnings
	r.Items, r.Dispatches = v.Items, len(v.Dispatches)
	if v.Err == nil {
		cost := gpu.CostOf(v.Dispatches)
		r.Ops, r.Bytes = cost.Ops, cost.Bytes
	}
	if m.Check.Checked > 0 {
		r.ErrorMax, r.ErrorRel = m.Check.MaxError, m.Check.MaxRel
	}
	r.Status, r.Reason = status(m)
	return r
}

func status(m *measure.Result) (Status, string) {
	switch {
	case errors.Is(m.Err, gpu.ErrUnsupported):
		return Unsupported, m.Err.Error()
	case errors.Is(m.Err, errWrong):
		return Failed, m.Err.Error()
	case m.Err != nil:
		return Errored, m.Err.Error()
	case !m.Check.OK:
		return Failed, "wrong result: " + m.Check.Failure
	}
	return OK, ""
}

// broken is the result of a case that could not be built.
func (e *Env) broken(c *Case, started time.Time, err error) Result {
	r := newResult()
	r.Workload, r.Case, r.Variant, r.Settings, r.Started = e.Workload, c.Name, "all", c.Settings, started
	r.Status, r.Reason = status(&measure.Result{Err: err})
	return r
}

// stopping is err if there is no use in going on with other cases.
func stopping(err error) error {
	if errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrClosed) {
		return err
	}
	return nil
}

// compare fills in how all[i] does against the baseline.
func compare(all []Result, i int, baseline string) {
	r := &all[i]
	for j := range all {
		b := &all[j]
		if j == i || b.Variant != baseline {
			continue
		}
		r.Baseline = baseline
		r.BytesSaved = b.Bytes - r.Bytes
		if b.Dispatches > 0 && r.Dispatches > 0 {
			r.DispatchesSaved = b.Dispatches - r.Dispatches
		}
		if r.Status == OK && b.Status == OK {
			r.Speedup = measure.Ratio(b.Samples, r.Samples)
		}
	}
}
