package measure

import (
	"context"
	"time"
)

// pace makes the device idle before a sample of subject i if its duty cycle requires it. The time does not count toward the case's
// budget. While sampling, the first sample after a pause does not count: clocks may have dropped in the meantime.
func (p *pipeline) pace(ctx context.Context, i int) error {
	d := p.o.Duty
	if d == nil {
		return nil
	}
	if d.Over() {
		p.drain()
		d.Pause()
	}
	waited, err := p.rest(ctx, p.subjects[i].Name)
	if err != nil {
		return err
	}
	d.Work()
	if waited <= 0 || p.phase != Sampling {
		return nil
	}
	d.Drop()
	wait, err := p.subjects[i].Start(ctx, p.results[i].Reps)
	if err == nil {
		_, err = wait()
	}
	d.Work()
	return err
}

// rest waits until the next burst may start.
func (r *runner) rest(ctx context.Context, variant string) (time.Duration, error) {
	d := r.o.Duty
	waited, err := d.Rest(ctx, func(left time.Duration) {
		r.report(Progress{
			Phase: Resting, Why: "the device " + d.Words(), Variant: variant, Spent: r.spent(), Budget: r.o.Budget, Estimate: left + r.estimate(0),
		})
	})
	r.start = r.start.Add(waited)
	r.o.Spans.Idle(waited.Seconds())
	return waited, err
}

// resting lets a moment pass if the duty cycle requires the device to be idle, and reports whether it does.
func (p *pipeline) resting(ctx context.Context) (bool, error) {
	d := p.o.Duty
	if d == nil {
		return false, nil
	}
	if d.Over() {
		p.drain()
		d.Pause()
	}
	left, err := d.Left()
	if err != nil || left <= 0 {
		return false, err
	}
	d.o.Sleep(ctx, min(left, minPoll))
	return true, ctx.Err()
}

// settle ends the last burst and its pause, and adds the duty cycle's effect to the results.
func (r *runner) settle(ctx context.Context) {
	d := r.o.Duty
	if d == nil {
		return
	}
	d.Pause()
	if _, err := r.rest(ctx, ""); err != nil { // if work was left to do, it has failed with the same error
		r.o.Spans.Tell(err.Error())
	}
	use := d.Used()
	for i := range r.results {
		r.results[i].Duty = use
	}
	if w, limited := use.Warning(); limited {
		r.warn([]Warning{w})
	}
}
