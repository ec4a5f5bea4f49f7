package measure

import (
	"context"
	"fmt"
	"time"

	"assay/internal/si"
)

// short takes samples of the verified and calibrated subjects, as far as the budget allows.
func (r *runner) short(ctx context.Context) {
	if r.takeVerified() {
		return
	}
	for _, step := range []func(context.Context){r.poison, r.warmUp, r.sample, r.checkWritten} {
		if ctx.Err() == nil {
			step(ctx)
		}
	}
}

// takeVerified uses the verifying runs as the only samples if there is no time for others, and reports whether it did.
// Runs too short to be samples leave time.
func (r *runner) takeVerified() bool {
	alive := r.alive()
	if r.spent()+r.round(alive)+r.checking <= r.o.Budget {
		return false
	}
	for _, i := range alive {
		if r.results[i].Check.Elapsed < r.o.SampleTime.Seconds() {
			return false
		}
	}
	for _, i := range alive {
		res := &r.results[i]
		res.Samples, res.Reps, res.Stop = []float64{res.Check.Elapsed}, max(1, res.Check.Reps), StopVerified
	}
	return true
}

// poison poisons the outputs, so that checkWritten sees no earlier results.
func (r *runner) poison(context.Context) {
	for _, i := range r.alive() {
		if err := r.subjects[i].Poison(); err != nil {
			r.results[i].Err = fmt.Errorf("verify: %w", err)
		}
	}
}

// checkWritten checks the outputs of the samples.
func (r *runner) checkWritten(ctx context.Context) {
	r.check(ctx, Rechecking, func(i int) (Check, error) { return r.subjects[i].CheckWritten(ctx) })
}

// short warns about a short measurement. The verifying run was a warm-up too.
func short(r *Result, budget time.Duration) Warning {
	if r.Stop == StopVerified {
		return Warning{ShortMeasurement, "short measurement: the verifying run is its only sample, without warm-up; run the workload for full precision"}
	}
	return Warning{ShortMeasurement, fmt.Sprintf(
		"short measurement: %s and %s in about %s; run the workload for full precision",
		si.Counted(len(r.Samples), "sample"), si.Counted(1+r.Warmups, "warm-up sample"), si.Time(budget.Seconds()))}
}
