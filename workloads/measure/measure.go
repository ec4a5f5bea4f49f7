// Package measure owns how a time is measured: warm up until stable, interleave the variants of a case (A B B A), sample
// until the intervals are narrow or the budget is spent, and verify before and after. A short measurement does as much of
// this as fits into its budget. It imports no workload and no engine.
package measure

import (
	"context"
	"time"

	"assay/internal/stats"
)

// Subject is one variant of a case.
type Subject struct {
	Name string
	// Against names the subject that this one is compared with; empty: none. Sampling continues until their ratio is
	// precise; the time of a subject without a comparison must be precise itself.
	Against string
	// Start begins reps repetitions of the work, back to back, without waiting for work in flight.
	Start func(ctx context.Context, reps int) (Pending, error)
	// Check poisons the outputs, runs the work once and compares them with the reference.
	Check func(ctx context.Context) (Check, error)
	// Poison and CheckWritten are the first and last steps of Check, needed only if Options.Short is set: the samples
	// run between them.
	Poison       func() error
	CheckWritten func(ctx context.Context) (Check, error)
	// MaxReps bounds the repetitions of one sample; 0 means no bound.
	MaxReps int
	// Alone is true for work that must not overlap other samples: on the host or on several queues.
	Alone bool
	// Occupies returns how long a sample of that many repetitions occupies the device, given the seconds of each; nil: their sum.
	Occupies func(reps int, each float64) float64
}

// Pending waits for work in flight and returns the seconds per repetition on the device's clock.
type Pending func() (float64, error)

// Check is the outcome of a verification. Errors are in the output's unit.
type Check struct {
	OK       bool
	Checked  int // output elements compared, in all passes
	Outputs  int // elements of the outputs that were verified, in all passes
	Passes   int // verifications merged into this one, each of all outputs; 0: one
	MaxError float64
	MaxRel   float64   // relative to the magnitude that rounding errors scale with
	Failure  string    // the first wrong element in words, empty if OK
	Elapsed  float64   // seconds of one repetition of the work on the device's clock; 0: not known
	Reps     int       // repetitions that the check ran; 0: one
	Warnings []Warning // what a reader must know even if the outputs are correct
}

// PerPass returns how many elements one verification compares, and out of how many.
func (c *Check) PerPass() (compared, outputs int) {
	return c.Checked / max(1, c.Passes), c.Outputs / max(1, c.Passes)
}

// Add merges the check of more outputs of the same work.
func (c *Check) Add(more Check) {
	c.Checked += more.Checked
	c.Outputs += more.Outputs
	c.MaxError, c.MaxRel = max(c.MaxError, more.MaxError), max(c.MaxRel, more.MaxRel)
	c.Warnings = append(c.Warnings, more.Warnings...)
	if !more.OK && c.OK {
		c.OK, c.Failure = false, more.Failure
	}
}

// Options control a measurement. Zero values mean the defaults in brackets.
type Options struct {
	// Precision is the relative difference that matters, θ [0.01]. Sampling stops when the interval of every compared
	// variant's ratio is within ± 0.4 θ, and that of every other variant's median within ± θ/2.
	Precision float64
	// MinSamples and MinTime are the minimum number and device time of each variant's samples before the precision is checked [100,
	// 300 ms].
	MinSamples int
	MinTime    time.Duration
	// MinWarmups and MinWarmTime are the minimum number and duration of each variant's warm-up samples, which also continue until the
	// times are stable [0]. Any time beyond the warm-up's own share is added to Budget. A short measurement uses neither.
	MinWarmups  int
	MinWarmTime time.Duration
	MaxSamples  int // maximum number per variant [1000]
	// LateSamples is how many samples of each variant are taken even after the budget is spent [10].
	LateSamples int
	// Budget is how long a case of one or two variants may take, including warm-up; the budget of more variants grows proportionally
	// [5 s].
	Budget time.Duration
	// SampleTime is how long one sample lasts: short work is repeated [1 ms, or long enough for MaxSamples to fill the budget].
	SampleTime time.Duration
	// Schedule replaces warm-up until stable, and Precision, MinSamples, MinTime, MinWarmups, MinWarmTime, LateSamples and Budget; no
	// sample is taken again because of a disturbance. A short measurement has none.
	Schedule Schedule
	// Short is for live tuning, where a user waits for one point: the whole case stays within Budget, even with fewer than MinSamples.
	// The verifying run counts as a warm-up, warm-up takes at most an eighth, and the second verification checks the outputs of the
	// samples instead of running again. If not even one sample fits, the verifying run is the sample. Each result has a warning.
	Short  bool
	Now    func() time.Time
	Energy *EnergyCounter // measures the variants' energy after their time; nil: not measured
	// Again reports whether work that failed with an error may succeed when retried; nil: no retries.
	Again func(err error) bool
	// Sampled is called when the last sample has been taken, before outputs are verified again; nil: nothing is done.
	Sampled func(ctx context.Context)
	Duty    *Duty  // makes the device idle between bursts of samples; nil: it works all the time
	Spans   *Spans // records the phases; nil: not recorded
	// Surroundings show which samples are disturbed. Those are set aside and taken again while the budget lasts.
	Surroundings
}

// WithDefaults replaces zero values by the defaults.
func (o Options) WithDefaults() Options {
	positive(&o.MinSamples, 100)
	positive(&o.LateSamples, 10)
	positive(&o.MaxSamples, 1000)
	o.MaxSamples = max(o.MaxSamples, o.MinSamples, o.LateSamples)
	positive(&o.Precision, 0.01)
	positive(&o.MinTime, 300*time.Millisecond)
	positive(&o.Budget, 5*time.Second)
	positive(&o.SampleTime, max(time.Millisecond, o.Budget/time.Duration(o.MaxSamples)))
	if o.Short {
		o.Schedule = Schedule{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func positive[T int | float64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// Stop is why sampling ended.
type Stop string

// Reasons to stop.
const (
	StopPrecision Stop = "precision reached"
	StopBudget    Stop = "time budget spent"
	StopSamples   Stop = "sample limit reached"
	StopSchedule  Stop = "schedule ended"
	StopVerified  Stop = "no time left after verification" // of a short measurement
)

// Result is one variant's outcome. A variant that failed has Err or a Check that is not OK, and no samples.
type Result struct {
	Name     string
	Time     stats.Estimate // seconds per repetition
	Samples  []float64      // in the order taken; all of them
	Outliers int            // in Samples, not removed
	Reps     int            // repetitions per sample
	Warmups  int            // samples discarded
	Stop     Stop
	Check    Check
	Warnings []Warning
	Err      error
	Retries  []Retry    // work that failed and was done again
	Around   []float64  // mean of each factor of the Surroundings while the samples were taken; NaN: not known; nil: not observed
	Alone    bool       // Around is from a case with work that runs alone
	Aside    int        // disturbed samples that are not in Samples
	Energy   Energy     // consumed by the variant
	Duty     DutyUse    // of the whole case
	SetAside []SetAside // the last of them, at most about as many as count
}

// SetAside holds the samples of a disturbed interval. They do not count.
type SetAside struct {
	At      int       // how many samples that count were taken before them
	Samples []float64 // in the same form as Result.Samples
	Why     string    // the disturbance: "other programs used 63 % of the CPU"
}

// OK reports whether the result's time can be trusted: it was measured and the outputs were correct.
func (r *Result) OK() bool { return r.Err == nil && r.Check.OK && len(r.Samples) > 0 }

// Case measures the variants of one case against each other. Results come in the order of subjects. The error is non-nil only if ctx
// was canceled; the case must then be dropped.
func Case(ctx context.Context, subjects []Subject, o Options, report func(Progress)) ([]Result, error) {
	r := newRunner(subjects, o.WithDefaults(), report)
	if r.o.Sampled == nil {
		r.o.Sampled = func(context.Context) {}
	}
	begin := func(context.Context) { r.o.Duty.Begin() }
	steps := []func(context.Context){r.verify, begin, r.calibrate, r.warmUp, r.sample, r.settle, r.o.Sampled, r.energy, r.verifyAgain}
	if o.Short {
		steps = []func(context.Context){r.verify, r.calibrate, r.short, r.energy}
	}
	if r.o.Lap != nil {
		r.o.Lap() // what follows is the first lap
	}
	for _, step := range steps {
		step(ctx)
		if err := ctx.Err(); err != nil {
			return r.results, err
		}
	}
	r.summarize(ctx)
	return r.results, nil
}
