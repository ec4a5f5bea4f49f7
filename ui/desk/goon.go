package desk

import (
	"cmp"
	"maps"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/si"
	"assay/workloads"
)

// MeasureAgain repeats the disturbed cases of the chosen workload's last run.
func (d *Desk) MeasureAgain() {
	if o := d.Model.Outcome(); o.CanMeasureAgain() {
		name := d.Model.Workload().Name
		d.goOn(o.Whole(), name, func(run *bundle.Run) (app.Request, error) { return app.Again(run, name) })
	}
}

// Extending names the button that extends the sweeps of a run as findings of a workload advise, or with no name those of
// all; empty: there is nothing to extend, or it cannot be done now.
func (m *Model) Extending(run *bundle.Run, workload string, findings []workloads.Finding) string {
	if run == nil || run.Dir == "" || run.Meta.Tuning || m.Busy() != nil {
		return ""
	}
	request, err := app.Extend(run, workload, findings)
	to := map[int]bool{}
	for _, f := range findings {
		for _, j := range request.Jobs {
			if value, known := j.Params[f.Facts.Extend.Param].(int); known && j.Workload == f.Workload {
				to[value] = true
			}
		}
	}
	switch {
	case err != nil:
		return ""
	case len(to) > 1:
		return "Extend Sweeps"
	}
	for value := range to {
		return "Extend to " + si.Count(value)
	}
	return ""
}

// Extend extends the sweeps of a run as findings of a workload advise, or with no name those of all, and sets the form to
// the larger ranges.
func (d *Desk) Extend(run *bundle.Run, workload string, findings []workloads.Finding) {
	if d.Model.Extending(run, workload, findings) == "" {
		return
	}
	request := func(run *bundle.Run) (app.Request, error) { return app.Extend(run, workload, findings) }
	if name := cmp.Or(workload, run.Meta.Jobs[0].Workload); d.goOn(run, name, request) {
		d.proposeEnds(name, findings)
	}
}

// proposeEnds sets the form of a workload to the ends of sweeps that findings advise.
func (d *Desk) proposeEnds(name string, findings []workloads.Finding) {
	draft := d.Model.Drafts[name]
	if draft.err != nil || draft.Values == nil {
		return
	}
	values := maps.Clone(draft.Values)
	for _, f := range findings {
		if to, known := values[f.Facts.Extend.Param].(int); known && f.Workload == name {
			values[f.Facts.Extend.Param] = max(to, f.Facts.Extend.To)
		}
	}
	d.Model.Proposed = &Proposal{name, values}
	d.Redraw(ChangedChoice)
}

// goOn starts a run of a workload that continues an earlier one, and reports whether it could.
func (d *Desk) goOn(run *bundle.Run, name string, request func(*bundle.Run) (app.Request, error)) bool {
	w, err := workloads.Find(d.Model.Workloads, name)
	if err != nil || d.Model.Busy() != nil || d.shut || d.Modal() {
		return false
	}
	chosen := d.sampled(app.Request{})
	d.begin(w.Name, func() (app.Request, error) {
		whole, err := bundle.Load(run.Dir) // with all samples
		if err != nil {
			return app.Request{}, err
		}
		r, err := request(whole)
		r.WhenBusy, r.Throttling, r.Quiet, r.QuietOnHost = chosen.WhenBusy, chosen.Throttling, r.Quiet || chosen.Quiet, r.QuietOnHost || chosen.QuietOnHost
		return r, err
	}, func(why string) { d.tellRefusal(w, why) })
	return true
}
