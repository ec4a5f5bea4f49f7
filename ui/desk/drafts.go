package desk

import (
	"errors"

	"assay/workloads"
)

// Draft is the content of a form. Each workload has one, even if its form was never shown.
type Draft struct {
	Values workloads.Values // the last valid ones
	err    error            // why the current content cannot be run
}

// InMode changes values that are the other mode's defaults to those of this mode: quick or not.
func InMode(w *workloads.Workload, v workloads.Values, quick bool) workloads.Values {
	from, to := w.Defaults(!quick), w.Defaults(quick)
	moved := make(workloads.Values, len(v))
	for name, value := range v {
		if value == from[name] {
			value = to[name]
		}
		moved[name] = value
	}
	return moved
}

// recallDrafts sets every workload's draft to the stored values, or to the defaults.
func (d *Desk) recallDrafts() {
	m := d.Model
	for i := range m.Workloads {
		w := &m.Workloads[i]
		m.Drafts[w.Name] = Draft{Values: d.Settings.values(w, m.Quick)}
	}
}

// SetQuick chooses short budgets and smaller defaults, or not, for all workloads.
func (d *Desk) SetQuick(on bool) {
	m := d.Model
	for i := range m.Workloads {
		w := &m.Workloads[i]
		if draft := m.Drafts[w.Name]; on != m.Quick {
			draft.Values = InMode(w, draft.Values, on)
			m.Drafts[w.Name] = draft
		}
	}
	m.Quick = on
	d.Settings.setQuick(on)
	d.Redraw(ChangedChoice)
}

// SetDraft sets the content of a workload's form, or the reason why it cannot be run.
func (d *Desk) SetDraft(w *workloads.Workload, v workloads.Values, err error) {
	if err == nil {
		d.Settings.setValues(w, v, d.Model.Quick)
	} else {
		v = d.Model.Drafts[w.Name].Values
	}
	d.Model.Drafts[w.Name] = Draft{v, err}
	d.Redraw(ChangedDraft)
}

// StartRun runs the chosen workload with the values of its form. If it cannot, a notice says why unless the Run page
// does.
func (d *Desk) StartRun() {
	w := d.Model.Workload()
	if why := d.Model.Problem(); why != "" {
		d.tellRefusal(w, why)
		return
	}
	d.start(w.Name, d.Model.Drafts[w.Name].Values, func(why string) { d.tellRefusal(w, why) })
}

// tellRefusal shows why a workload cannot be run. The Run page shows it itself, where the user can fix it.
func (d *Desk) tellRefusal(w *workloads.Workload, why string) {
	if d.Model.Front != PageRun && d.Model.Busy() == nil && !d.shut && !d.Modal() {
		d.Fail("Cannot run "+w.Title, errors.New(why))
		d.refusal = d.Model.Notice
	}
}

// SetFront records which page is in front.
func (d *Desk) SetFront(name string) {
	d.Model.Front = name
	d.Settings.SetPage(name)
	if name == PageRun && d.refusal != "" && d.Model.Notice == d.refusal {
		d.Dismiss() // the page says so itself
	}
}
