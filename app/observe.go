package app

import (
	"sync"
	"time"

	"assay/app/report"
	"assay/monitor"
	"assay/workloads"
)

// An activeRun is the workloads' Observer: what they tell goes into the run, its bundle, and to the subscribers.

func (a *activeRun) mu() *sync.Mutex { return &a.session.mu }

// keep notes the first failure to write. The run goes on in memory, so that nothing measured is lost.
func (a *activeRun) keep(err error) {
	if err == nil {
		return
	}
	a.mu().Lock()
	first := a.lost == nil
	if first {
		a.lost = err
	}
	a.mu().Unlock()
	if first {
		a.session.raise("bundle", monitor.Critical, "The run bundle cannot be written", err.Error())
	}
}

// event writes one event and remembers it.
func (a *activeRun) event(e Event) {
	e.Time = time.Now()
	a.mu().Lock()
	a.run.Events = append(a.run.Events, e)
	a.mu().Unlock()
	a.keep(a.bundle.Event(e))
}

// snapshot notes a tick of the monitor.
func (a *activeRun) snapshot(s monitor.Snapshot) {
	a.mu().Lock()
	ready := a.run != nil
	if ready {
		a.run.Snapshots = append(a.run.Snapshots, s)
	}
	a.mu().Unlock()
	if ready {
		a.keep(a.bundle.Snapshot(s))
	}
}

// alert notes an alert that was raised or cleared.
func (a *activeRun) alert(al monitor.Alert) {
	a.mu().Lock()
	ready := a.run != nil
	a.mu().Unlock()
	if !ready {
		return
	}
	kind := "alert"
	if !al.Active() {
		kind = "cleared"
	}
	a.event(Event{Kind: kind, Severity: string(al.Severity), Title: al.Title, Text: al.Cause})
}

// Progress is part of workloads.Observer.
func (a *activeRun) Progress(p workloads.Progress) {
	part := float64(p.Done)
	if p.Measure.Budget > 0 {
		part += min(1, p.Measure.Spent.Seconds()/p.Measure.Budget.Seconds())
	}
	fraction := (float64(a.job) + part/float64(max(1, p.Total))) / float64(len(a.request.Jobs))
	u := ProgressUpdate{RunID: a.run.Meta.ID, Progress: p, Fraction: min(1, fraction)}
	if spent := time.Since(a.began).Seconds(); fraction > 0.02 {
		u.Left = spent * (1 - fraction) / fraction
	}
	a.session.publish(u)
}

// Results is part of workloads.Observer.
func (a *activeRun) Results(rs ...workloads.Result) {
	a.mu().Lock()
	a.run.Results = append(a.run.Results, rs...)
	a.mu().Unlock()
	a.keep(a.bundle.Results(rs...))
	for _, r := range rs {
		a.session.publish(ResultUpdate{a.run.Meta.ID, r})
	}
}

// Finding is part of workloads.Observer.
func (a *activeRun) Finding(f workloads.Finding) {
	a.mu().Lock()
	a.run.Findings = append(a.run.Findings, f)
	for i := range a.run.Results {
		if r := &a.run.Results[i]; report.Points(f, *r) {
			r.Mark = f.Kind
		}
	}
	a.mu().Unlock()
	a.keep(a.bundle.Finding(f))
	a.session.publish(FindingUpdate{a.run.Meta.ID, f})
}

// Iteration is part of workloads.Observer.
func (a *activeRun) Iteration(caseName string) { a.books.iteration(caseName) }

// raisedByRuns lists the alerts that runs raise; each stands until the next run starts.
func raisedByRuns() []string {
	return []string{"bundle", "leak.slope", "leak.end", "leak.engine", "leak.footprint"}
}

// leak notes a leak: an event in the run, and an alert.
func (a *activeRun) leak(id, title, cause string) {
	a.event(Event{Kind: "leak", Severity: string(monitor.Critical), Title: title, Text: cause})
	a.session.raise(id, monitor.Critical, title, cause)
}
