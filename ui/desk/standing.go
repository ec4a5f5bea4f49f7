package desk

import (
	"slices"

	"assay/workloads"
)

// Standing returns the findings of the chosen workload's last run, and its results with their marks, updated by what live tuning
// has measured since: a point that contradicts a finding replaces it.
func (m *Model) Standing() ([]workloads.Finding, []workloads.Result) {
	o, w := m.Outcome(), m.Workload()
	ran, later := o.Params(w.Name), m.later()
	if ran == nil || len(later) == 0 {
		return o.Findings, o.Results
	}
	findings, results := slices.Clone(o.Findings), slices.Clone(o.Results)
	for i := range findings {
		was := findings[i]
		findings[i] = w.Standing(was, o.Results, ran, later)
		if findings[i].Kind != was.Kind {
			was.Unmark(results)
		}
	}
	return findings, results
}

// later returns the results of live tuning of the chosen workload since its last run, on the same device.
func (m *Model) later() []workloads.Later {
	o := m.Outcome()
	var out []workloads.Later
	for i := range m.Tuning().Points {
		p := &m.Tuning().Points[i]
		if p.At.Before(o.Meta.Started) || p.Engine.Engine != o.Meta.Engine.Engine || p.Engine.Device != o.Meta.Engine.Device {
			continue
		}
		for k := range p.Results {
			out = append(out, workloads.Later{Result: &p.Results[k], Case: p.Case})
		}
	}
	return out
}
