// Package measure owns how a time is taken: warm up until stable, interleave the variants of a case (A B B A), sample
// until the interval of every median is narrow or the budget is spent, verify before and after. A brief measurement
// does the same in what fits into its budget. It knows no workload and no engine.
package measure

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Subject is one variant of a case.
type Subject struct {
	Name string
	// Run does the work reps times back to back and returns seconds per repetition, on the device's clock.
	Run func(ctx context.Context, reps int) (float64, error)
	// Check spoils the outputs, does the work once and compares them with the reference.
	Check func(ctx context.Context) (Check, error)
	// Spoil and Inspect are the first and the last part of Check, needed only where Options.Brief is set: the samples
	// between them are the work.
	Spoil   func() error
	Inspect func(ctx context.Context) (Check, error)
	// MaxReps bounds the repetitions of one sample; 0 means no bound.
	MaxReps int
}

// Check is the outcome of a verification. Errors are in the output's unit.
type Check struct {
	OK       bool
	Checked  int
	MaxError float64
	MaxRel   float64 // relative to the magnitude that rounding grows with
	Failure  string  // the first wrong element in words, empty if OK
	Took     float64 // seconds of the work on the device's clock; 0: not known
}

// Options are the rules of a measurement. Zero values take the defaults in brackets.
type Options struct {
	MinSamples int     // at least this many samples of each variant [10]
	MaxSamples int     // at most this many [1000]
	Precision  float64 // stop when the 95 % interval of every median is narrower, end to end, than this part of it [0.01: ± 0.5 %]
	// Budget is how long a case of one or two variants may take, warm-up included; more get more in proportion [5 s].
	Budget     time.Duration
	SampleTime time.Duration // repeat short work until one sample lasts this long [1 ms]
	// Brief is for someone who waits for one point: the whole case keeps to Budget, whatever MinSamples says. The
	// verifying run counts as a warm-up, warm-up takes at most an eighth, and the second verification looks at what the
	// samples wrote instead of running again. Where not one sample fits, the verifying run is the sample. Each result
	// warns of it.
	Brief bool
	Now   func() time.Time
}

// WithDefaults fills in what is left out.
func (o Options) WithDefaults() Options {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.MinSamples, 10)
	def(&o.MaxSamples, 1000)
	o.MaxSamples = max(o.MaxSamples, o.MinSamples)
	if o.Precision <= 0 {
		o.Precision = 0.01
	}
	if o.Budget <= 0 {
		o.Budget = 5 * time.Second
	}
	if o.SampleTime <= 0 {
		o.SampleTime = time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Stop says why sampling ended.
type Stop string

// Reasons to stop.
const (
	StopPrecision Stop = "precision reached"
	StopBudget    Stop = "time budget spent"
	StopSamples   Stop = "sample limit reached"
	StopVerified  Stop = "no time beside verification" // of a brief measurement
)

// Result is one variant's outcome. A variant that failed has Err or a Check that is not OK, and no samples.
type Result struct {
	Name     string
	Time     Interval  // seconds per repetition
	Samples  []float64 // in the order taken; all of them
	Outliers int       // of Samples, kept in them
	Reps     int       // repetitions per sample
	Warmups  int       // samples discarded
	Stop     Stop
	Check    Check
	Warnings []string
	Err      error
}

// OK reports whether the result's time can be trusted: it was taken and the outputs were right.
func (r *Result) OK() bool { return r.Err == nil && r.Check.OK && len(r.Samples) > 0 }

// runner measures one case.
type runner struct {
	o        Options
	start    time.Time
	subjects []Subject
	results  []Result
	took     []time.Duration // how long a run of each subject takes of late; 0: not known
	checking time.Duration   // of the first verification, its runs left out
	width    float64         // widest interval after the last whole round, 0 before there is one
	report   func(Progress)
}

// Case measures the variants of one case against each other. Results come in the order of subjects; the error is
// non-nil only when ctx ended, and the case is then to be dropped.
func Case(ctx context.Context, subjects []Subject, o Options, report func(Progress)) ([]Result, error) {
	o = o.WithDefaults()
	if report == nil {
		report = func(Progress) {}
	}
	r := &runner{
		o: o, start: o.Now(), subjects: subjects, results: make([]Result, len(subjects)),
		took: make([]time.Duration, len(subjects)), report: report,
	}
	for i, s := range subjects {
		r.results[i].Name = s.Name
	}
	steps := []func(context.Context){r.verify, r.calibrate, r.warmUp, r.sample, r.verifyAgain}
	if o.Brief {
		steps = []func(context.Context){r.verify, r.calibrate, r.brief}
	} else {
		r.o.Budget = o.Budget * time.Duration(max(2, len(subjects))) / 2
	}
	for _, step := range steps {
		step(ctx)
		if err := ctx.Err(); err != nil {
			return r.results, err
		}
	}
	r.summarise()
	return r.results, nil
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

func (r *runner) spent() time.Duration { return r.o.Now().Sub(r.start) }

// verify checks every subject.
func (r *runner) verify(ctx context.Context) {
	began := r.spent()
	r.check(ctx, Verifying, func(i int) (Check, error) { return r.subjects[i].Check(ctx) })
	r.checking = r.spent() - began
	for i := range r.results {
		r.took[i] = duration(r.results[i].Check.Took)
		r.checking -= r.took[i]
	}
	r.checking = max(0, r.checking)
}

func (r *runner) verifyAgain(ctx context.Context) {
	r.check(ctx, Rechecking, func(i int) (Check, error) { return r.subjects[i].Check(ctx) })
}

// check checks every subject that still stands; the errors of two checks are merged into the larger.
func (r *runner) check(ctx context.Context, phase Phase, how func(i int) (Check, error)) {
	for _, i := range r.alive() {
		if ctx.Err() != nil {
			return
		}
		r.progress(phase, i)
		check, err := how(i)
		res := &r.results[i]
		if err != nil {
			res.Err = fmt.Errorf("verify: %w", err)
			continue
		}
		check.Checked += res.Check.Checked
		check.MaxError = max(check.MaxError, res.Check.MaxError)
		check.MaxRel = max(check.MaxRel, res.Check.MaxRel)
		res.Check = check
	}
}

// once takes one sample of subject i.
func (r *runner) once(ctx context.Context, i int) (float64, bool) {
	began := r.spent()
	t, err := r.subjects[i].Run(ctx, r.results[i].Reps)
	if took := r.spent() - began; r.took[i] == 0 {
		r.took[i] = took
	} else {
		r.took[i] += (took - r.took[i]) / 4
	}
	if err != nil {
		r.results[i].Err = err
		return 0, false
	}
	return t, true
}

// calibrate finds how many repetitions make one sample last SampleTime. Every subject repeats by its own count.
func (r *runner) calibrate(ctx context.Context) {
	for _, i := range r.alive() {
		if ctx.Err() != nil {
			return
		}
		r.results[i].Reps = 1
		if r.o.Brief && r.results[i].Check.Took >= r.o.SampleTime.Seconds() {
			continue // known to be long enough
		}
		r.progress(Calibrating, i)
		r.lengthen(ctx, i)
	}
}

// lengthen raises the repetitions of subject i until its samples last SampleTime. The small margin keeps the samples
// of all variants about equally long, so that what a submission costs beside its work weighs on all alike.
func (r *runner) lengthen(ctx context.Context, i int) {
	res, limit, want := &r.results[i], r.subjects[i].MaxReps, r.o.SampleTime.Seconds()
	if limit <= 0 {
		limit = 1 << 20
	}
	for res.Reps < limit && ctx.Err() == nil {
		took, ok := r.shortest(ctx, i)
		if !ok || took >= want {
			return
		}
		grown := float64(res.Reps) * min(1.05*want/max(took, 1e-9), 16)
		res.Reps, r.took[i] = min(max(int(grown), res.Reps+1), limit), 0
	}
}

// shortest is how long a sample of subject i takes, in seconds. One that seems long enough is taken again: the first
// may have been a cold start or an interruption.
func (r *runner) shortest(ctx context.Context, i int) (float64, bool) {
	reps := float64(r.results[i].Reps)
	first, ok := r.once(ctx, i)
	if !ok || first*reps < r.o.SampleTime.Seconds() {
		return first * reps, ok
	}
	second, ok := r.once(ctx, i)
	return min(first, second) * reps, ok
}

// Warm-up ends when the medians of two successive windows agree, or with a part of the budget.
const (
	warmWindow = 4
	warmAgree  = 0.03
	warmPart   = 4
	briefPart  = 8
)

func (r *runner) warmUp(ctx context.Context) {
	alive, start, part := r.alive(), r.spent(), r.o.Budget/warmPart
	if r.o.Brief {
		part = r.o.Budget / briefPart
	}
	for turn, i := range alive {
		share := start + part*time.Duration(turn+1)/time.Duration(len(alive))
		var times []float64
		for ctx.Err() == nil && !stable(times) && r.mayWarm(i, len(times), share) {
			r.progress(WarmingUp, i)
			t, ok := r.once(ctx, i)
			if !ok {
				break
			}
			times = append(times, t)
		}
		r.results[i].Warmups = len(times)
		if r.results[i].Err == nil && !stable(times) && !r.o.Brief { // which warns of itself
			r.results[i].Warnings = append(r.results[i].Warnings, "warm-up did not settle in time")
		}
		r.recheck(ctx, i, times)
	}
}

// mayWarm reports whether subject i may run once more after n warm-ups, which should end by share.
func (r *runner) mayWarm(i, n int, share time.Duration) bool {
	if r.o.Brief {
		return r.spent()+r.took[i] <= share
	}
	return n == 0 || r.spent() < share
}

// recheck calibrates subject i again if its warm samples are far shorter than those that it was calibrated by.
func (r *runner) recheck(ctx context.Context, i int, times []float64) {
	res := &r.results[i]
	if res.Err != nil || len(times) == 0 {
		return
	}
	warm := Median(times[max(0, len(times)-warmWindow):]).Median
	if warm*float64(res.Reps) < r.o.SampleTime.Seconds()/2 {
		r.lengthen(ctx, i)
	}
}

// stable reports whether the last two windows of times have nearly the same median.
func stable(times []float64) bool {
	n := len(times)
	if n < 2*warmWindow {
		return false
	}
	before := Median(times[n-2*warmWindow : n-warmWindow]).Median
	after := Median(times[n-warmWindow:]).Median
	return after <= before*(1+warmAgree) && after >= before*(1-warmAgree)
}

// sample takes rounds until one of the reasons to stop holds for all. Odd rounds run backwards (A B B A), so that a
// steady drift weighs on all variants alike.
func (r *runner) sample(ctx context.Context) {
	for round := 0; ctx.Err() == nil; round++ {
		alive := r.alive()
		if len(alive) == 0 {
			return
		}
		if stop := r.stop(alive); stop != "" {
			for _, i := range alive {
				r.results[i].Stop = stop
			}
			return
		}
		if round%2 == 1 {
			slices.Reverse(alive)
		}
		for _, i := range alive {
			r.progress(Sampling, i)
			if t, ok := r.once(ctx, i); ok {
				r.results[i].Samples = append(r.results[i].Samples, t)
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// stop gives the reason to end sampling, or "" to go on. MinSamples goes before the budget, but not in a brief
// measurement, which takes one sample of each variant and then only what fits.
func (r *runner) stop(alive []int) Stop {
	n := len(r.results[alive[0]].Samples)
	switch {
	case r.o.Brief && n > 0 && r.spent()+r.round(alive)+r.checking > r.o.Budget:
		return StopBudget
	case n < r.o.MinSamples:
		return ""
	case n >= r.o.MaxSamples:
		return StopSamples
	}
	r.width = r.widest(alive)
	switch {
	case r.width <= r.o.Precision:
		return StopPrecision
	case r.spent() >= r.o.Budget:
		return StopBudget
	}
	return ""
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// widest is the widest interval among the subjects idx, relative to its median.
func (r *runner) widest(idx []int) float64 {
	var w float64
	for _, i := range idx {
		w = max(w, Median(r.results[i].Samples).Width())
	}
	return w
}

func (r *runner) summarise() {
	for i := range r.results {
		res := &r.results[i]
		if res.Err != nil || !res.Check.OK {
			res.Samples, res.Time = nil, Median(nil)
			continue
		}
		res.Time = Median(res.Samples)
		res.Outliers = outliers(res.Samples)
		if r.o.Brief {
			res.Warnings = append(res.Warnings, short(res, r.o.Budget))
		}
		res.Warnings = append(res.Warnings, warnings(res.Samples, r.o)...)
	}
}
