package app

import (
	"fmt"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/internal/severity"
	"assay/monitor"
	"assay/monitor/leak"
	"assay/workloads"
	"assay/workloads/measure"
)

// An activeRun is the workloads' Observer: it passes their reports to the bundle, the run's only record, and
// to the subscribers.

// keep records the first failure to write. The bundle continues in memory, so that no result is lost.
func (a *activeRun) keep(err error) {
	if err == nil || !a.lost.CompareAndSwap(nil, &err) {
		return
	}
	a.session.raise(bundleAlert, err.Error())
}

func (a *activeRun) event(e bundle.Event) {
	e.Time = a.session.config.Now()
	a.keep(a.bundle.Event(e))
}

// takeSpans records what has been done since the last call. In a run of very many windows, that waits.
func (a *activeRun) takeSpans() { a.keep(a.bundle.Phases(a.spans.TakeDue(a.began))) }

// after ends a case: what it owned has been released.
func (a *activeRun) after(string) {
	a.takeSpans()
	a.nameActs("")
	a.ledger.leaveCase()
}

// snapshot records a tick of the monitor.
func (a *activeRun) snapshot(s monitor.Snapshot) {
	a.keep(a.bundle.Snapshot(s))
	a.takePoolEvents(false)
}

// alert records an alert that was raised or cleared.
func (a *activeRun) alert(al monitor.Alert) {
	kind := bundle.AlertRaised
	if !al.Active() {
		kind = bundle.AlertCleared
	}
	a.event(bundle.Event{Kind: kind, Severity: al.Severity, Title: al.Title, Text: al.Cause})
}

// standing records the alerts that are active when the run starts: their causes may disturb it from the beginning.
func (a *activeRun) standing() {
	s := a.session
	s.ticking.Lock()
	defer s.ticking.Unlock()
	events := a.bundle.Run().Events
	for _, al := range s.Alerts() {
		told := func(e bundle.Event) bool { return e.Kind == bundle.AlertRaised && e.Title == al.Title }
		if slices.ContainsFunc(events, told) { // by a tick since the run was opened
			continue
		}
		a.event(bundle.Event{
			Kind: bundle.AlertRaised, Severity: al.Severity, Title: al.Title,
			Text: fmt.Sprintf("%s (since %s, before the run)", al.Cause, al.Raised.Format(time.DateTime)),
		})
	}
}

// Progress is part of workloads.Observer.
func (a *activeRun) Progress(p workloads.Progress) {
	a.progress = p
	a.bundle.Timed(p.Measure.Phase == measure.WarmingUp || p.Measure.Phase == measure.Sampling)
	left := a.left.progress(&p, a.job, len(a.request.Jobs))
	a.tellProgress(p, p, left)
}

// fraction returns how much of the run is done. A job that is also measured on the other engine has two halves.
func (a *activeRun) fraction(p *workloads.Progress) float64 {
	part := float64(p.Done)
	if p.Measure.Budget > 0 {
		part += min(1, p.Measure.Spent.Seconds()/p.Measure.Budget.Seconds())
	}
	part /= float64(max(1, p.Total))
	if a.beside.engine != nil {
		part /= 2
		if a.beside.passed {
			part += 0.5
		}
	}
	return min(1, (float64(a.job)+part)/float64(len(a.request.Jobs)))
}

// Results is part of workloads.Observer.
func (a *activeRun) Results(rs ...workloads.Result) {
	a.warnCaptured(rs)
	a.warnValidated(rs)
	a.warnPoolChanged(rs)
	a.session.place(a.meta.Engine, rs)
	a.putBeside(rs)
	a.takeSpans()
	a.keep(a.bundle.Results(rs...))
	a.used.again(time.Now())
	a.tell(a.incidents.of(rs)...)
	a.takePoolEvents(false)
	for _, r := range rs {
		a.session.publish(ResultUpdate{a.meta.ID, r})
	}
}

// Finding is part of workloads.Observer.
func (a *activeRun) Finding(f workloads.Finding) {
	if a.meta.NotTiming() != "" && !f.IsProof() {
		return // no time counts, so nothing is concluded
	}
	a.keep(a.bundle.Finding(f))
	a.session.publish(FindingUpdate{a.meta.ID, f})
}

// Iteration is part of workloads.Observer.
func (a *activeRun) Iteration(caseName string) { a.ledger.iteration(caseName) }

// leak records a leak: an event in the run, and an alert. It returns the leak's ID, for restate and withdraw.
func (a *activeRun) leak(alert string, v leak.Verdict) string {
	id := fmt.Sprintf("leak-%d", a.leaks.Add(1))
	a.restate(alert, id, v)
	return id
}

// restate updates what is known of a leak.
func (a *activeRun) restate(alert, id string, v leak.Verdict) {
	e := bundle.LeakEvent(id, alertTitle(alert), v.Cause, v.Fit.PerSecond.Rate())
	e.Workload = a.workload
	a.event(e)
	a.session.raise(alert, v.Cause)
}

// withdraw withdraws a leak: the memory has been released after all.
func (a *activeRun) withdraw(alert, id string) {
	a.event(bundle.Event{
		Kind: bundle.LeakWithdrawn, ID: id, Severity: severity.Critical, Title: alertTitle(alert),
		Text: "the memory has been released",
	})
	a.session.clear(alert)
}
