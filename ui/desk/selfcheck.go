package desk

import (
	"assay/app"
	"assay/workloads"
)

// SelfCheck is the progress of a run of every control.
type SelfCheck struct {
	Outcome  *Outcome // of the run; nil: none in this session
	Refused  string   // why the newest one could not start
	Controls []app.Checked
	Verdict  string // the worst; see app.CheckedBy
	Current  string // the control in progress; empty: none
}

// SelfCheck runs every control on the chosen engine.
func (d *Desk) SelfCheck() {
	request := app.SelfCheck(d.Model.Workloads, d.Model.Engine)
	if len(request.Jobs) == 0 || d.Model.Busy() != nil || d.shut || d.Modal() {
		return
	}
	d.begin(request.Jobs[0].Workload, func() (app.Request, error) { return request, nil }, nil)
}

// SelfCheck returns the newest run of every control in this session.
func (m *Model) SelfCheck() (s SelfCheck) {
	controls := workloads.Controls(m.Workloads)
	if len(controls) == 0 {
		return s
	}
	first := controls[0].Name
	s.Refused = m.Refused[first]
	o := m.Outcomes[first]
	if o == nil || len(o.Meta.Jobs) != len(controls) {
		return s
	}
	findings := o.Findings
	if whole := o.Whole(); whole != nil {
		findings = whole.Findings
	}
	s.Outcome = o
	s.Controls, s.Verdict = app.CheckedBy(m.Workloads, o.Meta.Jobs, findings)
	if o.Phase.Busy() {
		s.Current = o.Progress.Workload
	}
	return s
}

// ofOther reports whether an update is a result of a workload other than the run's first: its outcome gets them once the run is
// over.
func (o *Outcome) ofOther(u app.Update) bool {
	r, ok := u.(app.ResultUpdate)
	return ok && len(o.Meta.Jobs) > 1 && r.Result.Workload != o.Meta.Jobs[0].Workload
}

// divide splits the results of a finished run among its workloads.
func (m *Model) divide(u app.Update) {
	end, ok := u.(app.EndUpdate)
	if !ok || end.Run == nil || len(end.Run.Meta.Jobs) < 2 {
		return
	}
	whole := m.Outcomes[m.Current]
	if _, err := m.Open(end.Run); err == nil && whole.Phase == Failed {
		m.Outcomes[m.Current].Phase, m.Outcomes[m.Current].Failure = Failed, whole.Failure
	}
}
