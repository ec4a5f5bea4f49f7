package measure

import (
	"context"
	"fmt"
	"time"
)

// brief takes samples of what was verified and calibrated, as far as the budget goes.
func (r *runner) brief(ctx context.Context) {
	if r.takeVerified() {
		return
	}
	for _, step := range []func(context.Context){r.spoil, r.warmUp, r.sample, r.inspect} {
		if ctx.Err() == nil {
			step(ctx)
		}
	}
}

// takeVerified takes the verifying runs as the only samples if there is no time for others, and reports whether it
// did. Runs that are too short to be samples leave time.
func (r *runner) takeVerified() bool {
	alive := r.alive()
	if r.spent()+r.round(alive)+r.checking <= r.o.Budget {
		return false
	}
	for _, i := range alive {
		if r.results[i].Check.Took < r.o.SampleTime.Seconds() {
			return false
		}
	}
	for _, i := range alive {
		res := &r.results[i]
		res.Samples, res.Stop = []float64{res.Check.Took}, StopVerified
	}
	return true
}

// spoil spoils the outputs, so that inspect sees nothing that was written before.
func (r *runner) spoil(context.Context) {
	for _, i := range r.alive() {
		if err := r.subjects[i].Spoil(); err != nil {
			r.results[i].Err = fmt.Errorf("verify: %w", err)
		}
	}
}

// inspect checks what the samples have written.
func (r *runner) inspect(ctx context.Context) {
	r.check(ctx, Rechecking, func(i int) (Check, error) { return r.subjects[i].Inspect(ctx) })
}

// short says that a brief measurement is one. The verifying run was a warm-up too.
func short(r *Result, budget time.Duration) string {
	if r.Stop == StopVerified {
		return "short measurement: its one sample is the verifying run, without warm-up; run the workload for a full one"
	}
	return fmt.Sprintf("short measurement: samples %d, warm-ups %d, in about %v; run the workload for a full one",
		len(r.Samples), 1+r.Warmups, budget.Round(time.Millisecond))
}
