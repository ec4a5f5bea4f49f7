package desk

import (
	"cmp"
	"slices"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/plain"
	"assay/monitor"
	"assay/ui/view"
	"assay/workloads"
	"assay/workloads/measure"
)

// Phase is the state of a run.
type Phase int

// Phases of a run.
const (
	Idle Phase = iota
	Starting
	Running
	Stopping
	Finished
	Stopped
	Failed
)

// Busy reports whether a run is in progress.
func (p Phase) Busy() bool { return p == Starting || p == Running || p == Stopping }

// Change says which parts of the model changed.
type Change uint

// Changes.
const (
	ChangedTick     Change = 1 << iota
	ChangedRun             // a phase
	ChangedProgress        // of the run
	ChangedResults         // and findings
	ChangedAlerts
	ChangedEngines
	ChangedChoice // of the workload, engine or budget
	ChangedDraft  // of the form's content
	ChangedNotice
	ChangedTuning
	ChangedLook    // of the window: appearance, size of text
	ChangedShown   // the run shown, the baseline, their comparison
	ChangedLibrary // the list of runs
	ChangedWatch   // of another program
	ChangedWeights // the model on the Weights page, its survey
	ChangedAdvice  // the advice, what the advisor measures
	ChangedAll     = 1<<iota - 1
)

// Has reports whether one of the parts changed.
func (c Change) Has(parts Change) bool { return c&parts != 0 }

// Outcome is the state of the last run of a workload.
type Outcome struct {
	Phase    Phase
	Failure  workloads.Failure // why it failed
	Meta     bundle.Meta
	Progress app.ProgressUpdate
	Results  []workloads.Result
	Findings []workloads.Finding
	Run      *bundle.Run // once the run is over
	whole    *bundle.Run // the run that Run is part of; nil: Run itself
	Trashed  bool        // Run was moved to the trash
	Ended    time.Time
}

// Disturbed counts the results that were disturbed while they were measured.
func (o *Outcome) Disturbed() int {
	n := 0
	for i := range o.Results {
		if _, disturbed := o.Results[i].Disturbed(); disturbed {
			n++
		}
	}
	return n
}

// CanMeasureAgain reports whether the outcome has disturbed cases in a run that is kept.
func (o *Outcome) CanMeasureAgain() bool {
	return o.Disturbed() > 0 && o.Whole() != nil && o.Whole().Dir != "" && !o.Trashed && !o.Meta.Tuning
}

// Model is what the window shows, as plain data. It is used on the UI goroutine only.
type Model struct {
	Workloads []workloads.Workload
	Chosen    int // of workloads
	Quick     bool
	Engine    string // of the next run, by name
	Engines   []app.EngineState
	Drafts    map[string]Draft // by workload: the content of its form
	Proposed  *Proposal        // values for a form to apply; nil: none
	Forgotten int              // how often the settings were cleared: older forms are out of date
	Front     string           // the page in front, by name
	Notice    string           // the last action or failure, in a sentence
	Wrong     bool             // the notice is a failure
	Back      func()           // undoes the action of the notice; nil: cannot be undone

	Outcomes map[string]*Outcome // by workload
	Current  string              // the workload that is running, or ran last
	Recent   []string            // the workloads that ran last, newest first, including before this start
	Refused  map[string]string   // by workload: why its last start was refused

	Live    bool               // live tuning is on
	tunings map[string]*Tuning // by workload
	Showing Showing
	Runs    Runs

	Advising Advising
	Weights  Weights    // the model whose tensors are shown
	Watch    *app.Watch // of another program: in progress, the last, or opened; nil before the first
	// WatchRun is the run of a watch that was opened; nil: Watch belongs to the session.
	WatchRun *bundle.Run
	Record   *view.Record // readings of the monitor, for live charts
	Latest   monitor.Snapshot
	Active   []monitor.Alert
	Past     []monitor.Alert // newest first
}

// ClearNotice removes the notice.
func (m *Model) ClearNotice() { m.Notice, m.Wrong, m.Back = "", false, nil }

// Proposal is values for the form of a workload.
type Proposal struct {
	Workload string
	Values   workloads.Values
}

// keepAlerts bounds the list of past alerts.
const keepAlerts = 200

func newModel(all []workloads.Workload) *Model {
	return &Model{
		Record: &view.Record{}, Workloads: all, Outcomes: map[string]*Outcome{}, Refused: map[string]string{}, Drafts: map[string]Draft{},
		tunings: map[string]*Tuning{}, Advising: newAdvising(),
	}
}

// recall adds readings and alerts from before the window opened.
func (m *Model) recall(history []monitor.Snapshot) {
	m.Record = view.NewRecord(history)
	m.Latest = *m.Record.Latest()
	for _, a := range m.Active {
		m.Record.Mark(view.Mark{At: a.Raised, Label: a.Title, Severity: a.Severity})
	}
}

// Workload returns the chosen one.
func (m *Model) Workload() *workloads.Workload { return &m.Workloads[m.Chosen] }

// Outcome returns the outcome of the chosen workload, idle if it has not been run yet.
func (m *Model) Outcome() *Outcome {
	if o := m.Outcomes[m.Workload().Name]; o != nil {
		return o
	}
	return &Outcome{}
}

// NextEngine returns the engine of the next run: the chosen one, available or not, or the one that auto chooses; nil while
// unknown.
func (m *Model) NextEngine() *app.EngineState {
	for i := range m.Engines {
		if m.Engine != "" && m.Engines[i].Name == m.Engine {
			return &m.Engines[i]
		}
	}
	return app.Automatic(m.Engines)
}

// Problem says why the chosen workload cannot be run now; empty if it can.
func (m *Model) Problem() string {
	for _, e := range m.Engines {
		if e.Name == m.Engine && !e.Available {
			return e.Title + " is not available: " + e.Reason
		}
	}
	if err := m.Drafts[m.Workload().Name].err; err != nil {
		return m.Workload().Explain(err)
	}
	if err := m.Unmeasurable(m.Workload(), m.Drafts[m.Workload().Name].Values); err != nil {
		return plain.Capitalized(m.Workload().Explain(err)) + "."
	}
	return ""
}

// Busy returns the run in progress; nil if there is none.
func (m *Model) Busy() *Outcome {
	if o := m.Outcomes[m.Current]; o != nil && o.Phase.Busy() {
		return o
	}
	return nil
}

// begin records that a run of a workload was requested; the outcome it replaces is restored if the run is rejected.
func (m *Model) begin(name string) (replaced *Outcome) {
	replaced = m.Outcomes[name]
	m.Current = name
	m.Outcomes[name] = &Outcome{Phase: Starting}
	delete(m.Refused, name)
	return replaced
}

// refuse records that a run could not be started.
func (m *Model) refuse(name string, replaced *Outcome, why string) {
	m.Refused[name] = why
	m.forget(name, replaced)
}

// forget restores the outcome replaced by a run that did not begin.
func (m *Model) forget(name string, replaced *Outcome) {
	m.Outcomes[name] = replaced
	if replaced == nil {
		delete(m.Outcomes, name)
	}
}

// apply applies one update and returns what it changed.
func (m *Model) apply(u app.Update) Change {
	switch u := u.(type) {
	case app.TickUpdate:
		m.Record.Add(u.Snapshot)
		m.Latest = u.Snapshot
		return ChangedTick
	case app.WatchUpdate:
		return m.watched(u.Watch)
	case app.SurveyUpdate:
		return m.Weights.apply(u)
	case app.AlertUpdate:
		m.alert(u.Alert)
		return ChangedAlerts
	case app.NoteUpdate:
		m.Record.Mark(view.Mark{At: u.Event.Time, Label: u.Event.Title, Severity: u.Event.Severity})
		return ChangedTick
	case app.StartUpdate:
		if len(u.Meta.Jobs) > 0 {
			m.Current = u.Meta.Jobs[0].Workload
		}
		phase := Running
		if o := m.Outcomes[m.Current]; o != nil && o.Phase == Stopping {
			phase = Stopping // requested before it began
		}
		m.Outcomes[m.Current] = &Outcome{Phase: phase, Meta: u.Meta}
		m.Record.BeginRun(u.Meta.Started, m.Title(m.Current))
		return ChangedRun | ChangedProgress | ChangedResults
	}
	o := m.Outcomes[m.Current]
	if o == nil {
		return 0
	}
	if id := runOf(u); id != "" && id != o.Meta.ID {
		return 0 // of a run that was superseded
	}
	m.follow(u)
	if o.ofOther(u) {
		return ChangedResults
	}
	changed := o.apply(u) | m.learnSelfTest(u)
	m.divide(u)
	return changed
}

// runOf returns the ID of the run that an update is about; empty if it is about none.
func runOf(u app.Update) string {
	switch u := u.(type) {
	case app.ProgressUpdate:
		return u.RunID
	case app.ResultUpdate:
		return u.RunID
	case app.FindingUpdate:
		return u.RunID
	case app.EndUpdate:
		if u.Run != nil {
			return u.Run.Meta.ID
		}
	}
	return ""
}

// follow records what the run does: its cases are shaded while they are timed. Updates arrive late if the window is busy;
// the record uses the time of the event.
func (m *Model) follow(u app.Update) {
	latest := m.Record.Latest().Time
	switch u := u.(type) {
	case app.ProgressUpdate:
		at := u.At
		if at.IsZero() {
			at = latest
		}
		switch u.Measure.Phase {
		case measure.Calibrating, measure.WarmingUp, measure.Sampling, measure.Resting:
			m.Record.BeginCase(at, u.Case)
		default:
			m.Record.EndCase(at)
		}
	case app.EndUpdate: // a run takes a last reading at its end
		if u.Run != nil && latest.IsZero() {
			latest = u.Run.Meta.Finished
		}
		m.Record.EndRun(latest)
	}
}

// Title returns the title of a workload, or its name if there is none of that name.
func (m *Model) Title(name string) string {
	if w, err := workloads.Find(m.Workloads, name); err == nil {
		return w.Title
	}
	return name
}

// apply applies an update of the run.
func (o *Outcome) apply(u app.Update) Change {
	switch u := u.(type) {
	case app.ProgressUpdate:
		o.Progress = u
		return ChangedProgress
	case app.ResultUpdate:
		o.Results = append(o.Results, u.Result)
		return ChangedResults
	case app.FindingUpdate:
		o.find(u.Finding)
		return ChangedResults
	case app.EndUpdate:
		if !o.Phase.Busy() {
			return ChangedRun // live tuning was saved
		}
		o.end(u)
		return ChangedRun | ChangedProgress | ChangedResults
	}
	return 0
}

// Whole returns the run with the results of all its workloads; nil until it is over.
func (o *Outcome) Whole() *bundle.Run { return cmp.Or(o.whole, o.Run) }

// Params returns the values that a workload ran with; nil if unknown.
func (o *Outcome) Params(workload string) workloads.Values {
	for _, j := range o.Meta.Jobs {
		if j.Workload == workload {
			return j.Params
		}
	}
	return nil
}

// Leaks returns the leaks that were found in the run, once it is over.
func (o *Outcome) Leaks() []bundle.Event {
	if o.Run == nil {
		return nil
	}
	return o.Run.Leaks()
}

// find adds a finding and marks the result it points to.
func (o *Outcome) find(f workloads.Finding) {
	o.Findings = append(o.Findings, f)
	f.Mark(o.Results)
}

// end sets the run as closed by the session.
func (o *Outcome) end(u app.EndUpdate) {
	o.Phase, o.Run, o.Ended = Finished, u.Run, time.Now()
	if u.Run != nil {
		o.Meta, o.Results, o.Findings = u.Run.Meta, u.Run.Results, u.Run.Findings
		if !u.Run.Meta.Finished.IsZero() {
			o.Ended = u.Run.Meta.Finished
		}
		switch {
		case u.Run.Meta.Error != "":
			o.Phase, o.Failure = Failed, u.Run.Meta.Failed()
		case u.Run.Meta.State == bundle.Stopped:
			o.Phase = Stopped
		}
	}
	if u.Err != nil && o.Phase == Finished {
		o.Phase, o.Failure = Failed, workloads.FailureOf(u.Err)
	}
}

// alert moves an alert between the lists.
func (m *Model) alert(a monitor.Alert) {
	stands := func(b monitor.Alert) bool { return b.ID == a.ID }
	if i := slices.IndexFunc(m.Active, stands); i >= 0 && a.Active() { // with another text
		m.Active[i] = a
		return
	}
	m.Active = slices.DeleteFunc(m.Active, stands)
	if a.Active() {
		m.Record.Mark(view.Mark{At: a.Raised, Label: a.Title, Severity: a.Severity})
		m.Active = append([]monitor.Alert{a}, m.Active...)
		return
	}
	m.Past = append([]monitor.Alert{a}, m.Past...)
	m.Past = m.Past[:min(len(m.Past), keepAlerts)]
}
