package bench

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// Elapsed is the time axis of results that Follow emits: the middle of each window, measured from the start of the series.
func Elapsed() workloads.Axis {
	return workloads.Axis{Name: "elapsed", Title: "Elapsed", Unit: "s", Measured: true}
}

// followSample is how long a sample of a series should last: far longer than the overhead of a submission.
const followSample = 10 * time.Millisecond

// Follow warms up, measures the single variant of a case repeatedly for the duration, and emits a result for every window,
// with the setting "elapsed". The outputs of each window are verified: a window with wrong outputs has no time. As in
// MeasureAll, a case that cannot be built or run becomes a result with the reason.
func (b *Bench) Follow(ctx context.Context, c Case, duration, window time.Duration) error {
	b.total++
	if err := b.ready(ctx, &c); err != nil {
		return err
	}
	scope := &Scope{bench: b, ctx: ctx, c: &c}
	defer b.leave(scope)
	b.Spans.Of(b.Workload.Name, c.Name)
	defer b.Spans.End()
	started := time.Now()
	scope.enter(measure.Preparing)
	variants, err := c.Build(scope)
	if err == nil && len(variants) != 1 {
		err = fmt.Errorf("a series measures one variant, %s has %d", c.Name, len(variants))
	}
	if err == nil {
		err = variants[0].Err
	}
	if err == nil {
		f := &follower{
			bench: b, c: &c, v: &variants[0], duration: duration, subject: scope.subject(&variants[0]), ctx: ctx,
		}
		err = f.follow(ctx, scope, window)
	}
	if err != nil && ctx.Err() == nil {
		b.emitPoint(b.broken(&c, started, err))
		return stopping(err)
	}
	b.done++
	return err
}

// follower follows one variant.
type follower struct {
	bench    *Bench
	ctx      context.Context
	c        *Case
	v        *Variant
	subject  measure.Subject
	started  time.Time // of the first window
	duration time.Duration
	reps     int
	warmups  int // samples before the first window, until it is emitted
}

func (f *follower) follow(ctx context.Context, s *Scope, window time.Duration) error {
	s.enter(measure.Verifying)
	c, err := f.subject.Check(ctx)
	if err == nil && !c.OK {
		err = fmt.Errorf("%w: %s", errWrong, c.Failure)
	}
	if err != nil {
		return err
	}
	s.enter(measure.Calibrating)
	if err := f.calibrate(ctx); err != nil {
		return err
	}
	series := measure.Series{
		Duration: f.duration, Window: window, Now: f.bench.Options.Now, Alone: f.subject.Alone, Duty: f.bench.Duty, Resting: f.resting,
		Start: func(ctx context.Context) (measure.Pending, error) { return f.subject.Start(ctx, f.reps) },
	}
	f.waitForQuiet(ctx)
	f.bench.Duty.Begin()
	s.enter(measure.WarmingUp)
	if f.warmups, err = series.WarmUp(ctx); err != nil {
		return err
	}
	if err := f.subject.Poison(); err != nil {
		return err
	}
	if lap := f.bench.Options.Lap; lap != nil {
		lap()
	}
	f.started = time.Now()
	f.bench.Spans.By(f.v.Name)
	f.bench.Spans.Enter(measure.Sampling, f.v.Name)
	f.sampling(0, 0)
	return series.Run(ctx, f.emit)
}

// sampling reports how far the series is, and how many samples its last window had.
func (f *follower) sampling(samples int, spent time.Duration) {
	f.bench.progress(f.c, measure.Progress{
		Phase: measure.Sampling, Variant: f.v.Name, Samples: samples, Spent: spent, Budget: f.duration, Estimate: max(0, f.duration-spent), Series: true,
	})
}

// waitForQuiet waits for a quiet machine before the series, if the run is to wait: nothing can be retaken within a series.
func (f *follower) waitForQuiet(ctx context.Context) {
	o := &f.bench.Options
	left := o.QuietTimeout
	if o.Lap == nil || left <= 0 {
		return
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	waiting := func() {
		f.bench.Spans.Enter(measure.Waiting, "")
		f.bench.progress(f.c, measure.Progress{Phase: measure.Waiting, Estimate: left + f.duration})
	}
	o.WaitForQuiet(ctx, now, left, waiting, func(d time.Duration) { left -= d })
}

// resting reports that the device is idle between bursts.
func (f *follower) resting(left time.Duration) {
	f.bench.progress(f.c, measure.Progress{Phase: measure.Resting, Why: "the device " + f.bench.Duty.Words(), Variant: f.v.Name, Spent: time.Since(f.started), Budget: f.duration, Estimate: left, Series: true})
}

// calibrate finds how many repetitions make a sample last long enough.
func (f *follower) calibrate(ctx context.Context) error {
	limit, sample := f.subject.MaxReps, max(followSample, f.bench.Engine.Info().SampleTime)
	for f.reps = 1; limit <= 0 || 2*f.reps <= limit; f.reps *= 2 {
		t, err := run(ctx, f.v.Work, f.reps)
		if err != nil {
			return err
		}
		if t*float64(f.reps) >= sample.Seconds() || t <= 0 {
			return nil
		}
	}
	return nil
}

// keptSamples is how many samples of a window are kept: all samples of a day would fill memory and disk.
const keptSamples = 64

// few keeps some of a result's samples, evenly spaced, and says how many.
func few(r workloads.Result) workloads.Result {
	n := len(r.Samples)
	if n <= keptSamples {
		return r
	}
	kept := make([]float64, keptSamples)
	for i := range kept {
		kept[i] = r.Samples[i*n/keptSamples]
	}
	r.Samples = kept
	r.Values.SetNumber(workloads.SamplesKept, keptSamples)
	return r
}

// SeriesMetrics lists the metrics of workloads that follow a case.
func SeriesMetrics() metric.List {
	return metric.List{{
		Name: workloads.SamplesKept, Title: "Samples kept", Shape: metric.Count,
		About: "Samples recorded one by one, evenly spaced, where not all are; the time is based on all.",
	}}
}

// emit verifies the outputs of a window and turns it into a result.
func (f *follower) emit(w measure.Window) error {
	drift, read := f.readAnchor()
	f.bench.Spans.Enter(measure.Rechecking, f.v.Name)
	defer f.bench.Spans.Enter(measure.Sampling, f.v.Name)
	check, err := f.subject.CheckWritten(f.ctx)
	if err != nil {
		return err
	}
	m := measure.Result{Name: f.v.Name, Time: stats.Median(nil), Reps: f.reps, Stop: measure.StopBudget, Check: check, Warnings: check.Warnings, Warmups: f.warmups}
	f.warmups = 0
	if f.bench.Options.Lap != nil {
		f.bench.Options.Told(&m, f.bench.Options.Lap(), f.subject.Alone)
		m.Warnings = append(m.Warnings, f.bench.Options.Judge(f.ctx, m.Around)...)
	}
	if d := f.bench.Duty; d != nil {
		d.Pause()
		if _, err := d.Rest(f.ctx, f.resting); err != nil {
			return err
		}
		m.Duty = d.Lap()
		if w, limited := m.Duty.Warning(); limited {
			m.Warnings = append(m.Warnings, w)
		}
	}
	if check.OK {
		m.Samples, m.Time, m.Outliers = w.Samples, stats.Median(w.Samples), stats.Outliers(w.Samples)
		m.Warnings = append(m.Warnings, measure.Warnings(&m, f.bench.Options.WithDefaults())...)
	}
	middle := (w.Start + w.End) / 2
	at := *f.c
	at.Name = fmt.Sprintf("%s, %.1f s", f.c.Name, middle.Seconds())
	at.Settings = append(at.Settings[:len(at.Settings):len(at.Settings)], workloads.Setting{Name: "elapsed", Value: middle.Seconds()})
	result := f.bench.result(&at, f.started.Add(w.Start), f.v, &m)
	if read {
		anchored(&result, &drift)
	}
	f.bench.emitPoint(few(result))
	f.sampling(len(w.Samples), w.End)
	f.bench.Observer.Iteration(f.c.Name)
	f.collect(w.End - w.Start)
	return f.subject.Poison()
}

// readAnchor reads the anchor after a window, if that stays within its share of the time.
func (f *follower) readAnchor() (d measure.Drift, read bool) {
	a := f.bench.Anchor
	if a == nil || !a.Due(false) {
		return d, false
	}
	f.bench.Spans.Enter(measure.Anchoring, "")
	d, err := a.Read(f.ctx)
	return d, err == nil
}

// anchored records how much the anchor had drifted after a window. Nothing is discarded: the purpose of a series is to see the device slow down.
func anchored(r *workloads.Result, d *measure.Drift) {
	r.Values.SetNumber(workloads.AnchorDrift, d.Change)
	if !d.Slower() || r.Status != workloads.OK {
		return
	}
	if _, disturbed := r.Disturbed(); disturbed {
		r.Warn(workloads.WarningKind(measure.SlowedBusy), "the anchor was then "+d.String()+", while the machine was disturbed: this need not be throttling")
		return
	}
	r.Warn(workloads.WarningKind(measure.Slowed), "throttled: the anchor was then "+d.String())
}

// longWindow is the window length from which on the host's garbage is collected after each window.
const longWindow = 2 * time.Second

// collect frees the host's garbage while nothing is timed: a collection within the next window is less likely, and over hours the
// process does not grow by twice what the results take.
func (f *follower) collect(window time.Duration) {
	if window >= longWindow {
		debug.FreeOSMemory()
	}
}
