package app

import (
	"errors"
	"fmt"
	"slices"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// A run may also measure its cases on another engine, usually the CPU's. Each job is measured there first, alone; the outcome
// becomes figures of the run's own results, which name that engine, device, threads and build. None of the run's rows belongs to
// the other engine.

// beside is the other engine of a run.
type beside struct {
	engine  gpu.Engine // nil: there is none
	results []workloads.Result
	passed  bool // the job in progress has been measured there
}

// openBeside opens the other engine before the run's memory is counted, and records in meta which it is, or why there is none.
func (a *activeRun) openBeside(own gpu.Engine, meta *bundle.Meta) error {
	name := a.request.Beside
	if name == "" {
		return nil
	}
	meta.Beside = &bundle.Beside{Engine: name}
	f, err := a.session.engines.peek(name)
	switch {
	case err != nil:
		return fmt.Errorf("measure beside: %w", err)
	case f.engine == own:
		meta.Beside.Missing = "the run is on the " + own.Info().Engine + " engine itself"
		return nil
	}
	info := f.engine.Info()
	meta.Beside.Engine, meta.Beside.Baseline = info.Engine, abEngine(&info, a.session.config.Version)
	if info.Simulated {
		meta.Beside.Baseline += ", simulated"
	}
	a.beside.engine = f.engine
	return nil
}

// measureBeside measures a job on the other engine. A failure there is reported, and costs the run only those figures.
func (a *activeRun) measureBeside(w *workloads.Workload, job *bundle.Job) error {
	b := &a.beside
	b.results, b.passed = nil, false
	if b.engine == nil || w.Control {
		return nil
	}
	defer func() { b.passed = true }()
	queue, err := b.engine.NewQueue("beside")
	if err != nil {
		return err
	}
	defer queue.Close()
	pools := a.session.engines.pools
	pool := pools.of(b.engine).pool
	defer pools.of(a.engine) // shown again
	a.spans.On = ", on " + a.meta.Beside.Engine
	defer func() { a.spans.On = "" }()
	options := a.options()
	options.Energy, options.Surroundings = nil, a.session.surroundings(a.request.quietTimeout(), b.engine.Info().GPU, b.engine)
	err = w.Run(a.ctx, &workloads.Env{
		Workload: w, Job: a.job, Engine: b.engine, Queue: queue, Pool: pool, Options: options, Seed: a.request.Seed, Observer: besideObserver{a}, Spans: &a.spans,
	}, job.Params)
	_, reclaimed := pool.Reclaim()
	_, cleared := pool.Clear()
	if a.ctx.Err() != nil {
		return errors.Join(a.ctx.Err(), reclaimed, cleared)
	}
	if err = errors.Join(err, reclaimed, cleared); err != nil {
		a.tell(bundle.Event{Kind: bundle.Noted, Severity: severity.Warning, Title: "Not measured beside", Text: w.Name + ": " + err.Error()})
	}
	return nil
}

// besideObserver takes what a workload reports on the other engine.
type besideObserver struct{ run *activeRun }

// Progress is part of workloads.Observer.
func (o besideObserver) Progress(p workloads.Progress) {
	a := o.run
	a.bundle.Timed(p.Measure.Phase == measure.WarmingUp || p.Measure.Phase == measure.Sampling)
	shown := p
	shown.Case += ", on " + a.meta.Beside.Engine
	a.tellProgress(p, shown, 0)
}

// Results is part of workloads.Observer.
func (o besideObserver) Results(rs ...workloads.Result) {
	o.run.beside.results = append(o.run.beside.results, rs...)
	o.run.takeSpans()
}

// Finding is part of workloads.Observer.
func (besideObserver) Finding(workloads.Finding) {}

// Iteration is part of workloads.Observer.
func (besideObserver) Iteration(string) {}

// putBeside sets the figures of the other engine in the run's results.
func (a *activeRun) putBeside(rs []workloads.Result) {
	meta := a.meta.Beside
	if meta == nil || a.beside.engine == nil {
		return
	}
	for i := range rs {
		if rs[i].Status == workloads.OK && a.beside.passed {
			a.beside.put(&rs[i], meta.Baseline, func(axis string) bool { return a.meta.Matches(rs[i].Workload, axis) })
		}
	}
}

// put compares a result with the result of the same case and variant on the other engine.
func (b *beside) put(r *workloads.Result, baseline string, matches func(axis string) bool) {
	key := r.Key(matches)
	at := slices.IndexFunc(b.results, func(o workloads.Result) bool { return o.Key(matches) == key })
	if at < 0 {
		r.Values.SetText(workloads.BesideOn, "not available: "+baseline+" has no such case")
		return
	}
	other := &b.results[at]
	if other.Status != workloads.OK {
		r.Values.SetText(workloads.BesideOn, "not available: "+baseline+": "+other.WithoutTime())
		return
	}
	text := baseline
	if why, disturbed := other.Disturbed(); disturbed {
		text += ", " + why
	}
	r.Values.SetText(workloads.BesideOn, text)
	r.Values.Set(workloads.BesideTime, other.Time())
	r.Values.Set(workloads.BesideSpeedup, quotient(other.Time(), r.Time()))
}

// quotient returns the ratio of two medians that were not measured alternately: its interval reaches from one's lower end to the
// other's.
func quotient(a, b stats.Interval) stats.Interval {
	q := a
	q.Median, q.Lo, q.Hi = a.Median/b.Median, a.Lo/b.Hi, a.Hi/b.Lo
	if b.Lo <= 0 {
		q.Hi = a.Hi / 0
	}
	return q
}
