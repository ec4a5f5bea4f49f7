package app

import (
	"math"
	"time"

	"assay/workloads"
)

// timeLeft estimates how long a run will still take, in seconds, from all progress. The estimate counts down with the clock
// and follows new data gradually, so that it does not jump.
type timeLeft struct {
	now func() time.Time // nil: time.Now

	at       time.Time // of the last progress
	jobBegan time.Time
	caseAt   time.Time // when the case began
	job      int
	done     int     // cases of the job
	spent    float64 // seconds spent on them
	left     float64 // last reported estimate
	known    bool
}

// leftPace is the time constant of the smoothing: the reported estimate covers two thirds of a change in this time.
const leftPace = 4 * time.Second

// progress records the progress of job `job` of `jobs`, and returns the seconds left; 0: not yet known.
func (t *timeLeft) progress(p *workloads.Progress, job, jobs int) float64 {
	now := time.Now()
	if t.now != nil {
		now = t.now()
	}
	switch {
	case t.at.IsZero() || job != t.job:
		t.jobBegan, t.caseAt, t.job, t.done, t.spent = now, now, job, p.Done, 0
	case p.Done > t.done:
		t.spent += now.Sub(t.caseAt).Seconds()
		t.caseAt, t.done = now, p.Done
	}
	passed := 0.0
	if !t.at.IsZero() {
		passed = now.Sub(t.at).Seconds()
	}
	t.at = now
	raw, ok := t.estimate(p, now, jobs)
	switch {
	case !ok && !t.known:
		return 0
	case !t.known:
		t.left, t.known = raw, true
	default:
		t.left -= passed
		if ok {
			t.left += (raw - t.left) * (1 - math.Exp(-passed/leftPace.Seconds()))
		}
	}
	t.left = max(0, t.left)
	return t.left
}

// estimate returns the current raw estimate: the rest of this case, cases like those before, and jobs like this one.
func (t *timeLeft) estimate(p *workloads.Progress, now time.Time, jobs int) (seconds float64, ok bool) {
	m := &p.Measure
	if m.Budget <= 0 && t.done == 0 {
		return 0, false
	}
	mean := t.spent / float64(max(1, t.done))
	rest := max(0, mean-now.Sub(t.caseAt).Seconds())
	if m.Budget > 0 {
		rest = m.Estimate.Seconds()
		this := now.Sub(t.caseAt).Seconds() + rest
		mean = (t.spent + this) / float64(t.done+1)
	}
	job := rest + mean*float64(max(0, p.Total-p.Done-1))
	whole := now.Sub(t.jobBegan).Seconds() + job
	return job + whole*float64(jobs-t.job-1), true
}
