package ui

import (
	"slices"
	"time"

	"assay/app"
	"assay/monitor"
	"assay/workloads"
)

// phase is where a run stands.
type phase int

// Phases of a run.
const (
	idle phase = iota
	starting
	running
	stopping
	finished
	stopped
	failed
)

// busy reports whether a run is going on.
func (p phase) busy() bool { return p == starting || p == running || p == stopping }

// change says what part of the model is new.
type change uint

// Changes.
const (
	changedTick     change = 1 << iota
	changedRun             // a phase
	changedProgress        // of the run
	changedResults         // and findings
	changedAlerts
	changedEngines
	changedChoice // of the workload
	changedAll    = 1<<iota - 1
)

// has reports whether one of the parts is new.
func (c change) has(parts change) bool { return c&parts != 0 }

// outcome is what is known of the last run of a workload.
type outcome struct {
	phase    phase
	failure  string // why it failed
	meta     app.Meta
	progress app.ProgressUpdate
	results  []workloads.Result
	findings []workloads.Finding
	run      *app.Run // once it is over
	ended    time.Time
}

// model is what the window shows, in plain data. It is touched on the UI goroutine only.
type model struct {
	workloads []workloads.Workload
	chosen    int // of workloads
	engines   []app.EngineState

	outcomes map[string]*outcome // by workload
	current  string              // the workload that runs, or ran last
	refused  map[string]string   // by workload: why its last start was refused

	snapshots []monitor.Snapshot // not yet drawn by the live charts
	latest    monitor.Snapshot
	active    []monitor.Alert
	past      []monitor.Alert // newest first
}

// keepAlerts bounds the list of past alerts.
const keepAlerts = 200

func newModel(all []workloads.Workload) *model {
	return &model{workloads: all, outcomes: map[string]*outcome{}, refused: map[string]string{}}
}

// workload is the chosen one.
func (m *model) workload() *workloads.Workload { return &m.workloads[m.chosen] }

// outcome is that of the chosen workload, idle if it was not run yet.
func (m *model) outcome() *outcome {
	if o := m.outcomes[m.workload().Name]; o != nil {
		return o
	}
	return &outcome{}
}

// busy is the run that is going on, nil if there is none.
func (m *model) busy() *outcome {
	if o := m.outcomes[m.current]; o != nil && o.phase.busy() {
		return o
	}
	return nil
}

// begin notes that a run of the chosen workload was asked for; the outcome it replaces comes back if it is refused.
func (m *model) begin() (replaced *outcome) {
	name := m.workload().Name
	replaced = m.outcomes[name]
	m.current = name
	m.outcomes[name] = &outcome{phase: starting}
	delete(m.refused, name)
	return replaced
}

// refuse notes that a run could not be started.
func (m *model) refuse(name string, replaced *outcome, why string) {
	m.refused[name] = why
	m.outcomes[name] = replaced
	if replaced == nil {
		delete(m.outcomes, name)
	}
}

// apply takes in one update and says what it changed.
func (m *model) apply(u app.Update) change {
	switch u := u.(type) {
	case app.TickUpdate:
		m.snapshots = append(m.snapshots, u.Snapshot)
		m.latest = u.Snapshot
		return changedTick
	case app.AlertUpdate:
		m.alert(u.Alert)
		return changedAlerts
	case app.StartUpdate:
		if len(u.Meta.Jobs) > 0 {
			m.current = u.Meta.Jobs[0].Workload
		}
		m.outcomes[m.current] = &outcome{phase: running, meta: u.Meta}
		return changedRun | changedProgress | changedResults
	}
	if o := m.outcomes[m.current]; o != nil {
		return o.apply(u)
	}
	return 0
}

// apply takes in an update of the run.
func (o *outcome) apply(u app.Update) change {
	switch u := u.(type) {
	case app.ProgressUpdate:
		o.progress = u
		return changedProgress
	case app.ResultUpdate:
		o.results = append(o.results, u.Result)
		return changedResults
	case app.FindingUpdate:
		o.find(u.Finding)
		return changedResults
	case app.EndUpdate:
		o.end(u)
		return changedRun | changedProgress | changedResults
	}
	return 0
}

// leaks are the leaks that were found in the run, once it is over.
func (o *outcome) leaks() []app.Event {
	if o.run == nil {
		return nil
	}
	return o.run.Leaks()
}

// find notes a finding and marks the result it points at.
func (o *outcome) find(f workloads.Finding) {
	o.findings = append(o.findings, f)
	f.Mark(o.results)
}

// end takes the run as the session closed it.
func (o *outcome) end(u app.EndUpdate) {
	o.phase, o.run, o.ended = finished, u.Run, time.Now()
	if u.Run != nil {
		o.meta, o.results, o.findings = u.Run.Meta, u.Run.Results, u.Run.Findings
		if !u.Run.Meta.Finished.IsZero() {
			o.ended = u.Run.Meta.Finished
		}
		switch {
		case u.Run.Meta.Error != "":
			o.phase, o.failure = failed, u.Run.Meta.Error
		case string(u.Run.Meta.State) == "stopped":
			o.phase = stopped
		}
	}
	if u.Err != nil && o.phase == finished {
		o.phase, o.failure = failed, u.Err.Error()
	}
}

// alert moves an alert between the lists.
func (m *model) alert(a monitor.Alert) {
	m.active = slices.DeleteFunc(m.active, func(b monitor.Alert) bool { return b.ID == a.ID })
	if a.Active() {
		m.active = append([]monitor.Alert{a}, m.active...)
		return
	}
	m.past = append([]monitor.Alert{a}, m.past...)
	m.past = m.past[:min(len(m.past), keepAlerts)]
}

// takeSnapshots hands over the snapshots that came since the last call.
func (m *model) takeSnapshots() []monitor.Snapshot {
	s := m.snapshots
	m.snapshots = nil
	return s
}
