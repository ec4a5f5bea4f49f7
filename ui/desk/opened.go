package desk

import (
	"fmt"
	"slices"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/workloads"
)

// Open adds a saved run: each of its workloads gets its own results. It returns the index of the first workload.
func (m *Model) Open(run *bundle.Run) (first int, err error) {
	first = -1
	for _, job := range run.Meta.Jobs {
		at := slices.IndexFunc(m.Workloads, func(w workloads.Workload) bool { return w.Name == job.Workload })
		if at < 0 {
			continue
		}
		if first < 0 {
			first = at
		}
		m.Outcomes[job.Workload] = kept(run, job.Workload)
		delete(m.Refused, job.Workload)
	}
	if first < 0 {
		return 0, fmt.Errorf("this version has no workload of run %s", run.Meta.ID)
	}
	return first, nil
}

// kept returns the outcome of one workload of a saved run.
func kept(run *bundle.Run, workload string) *Outcome {
	part := *run
	part.Results = slices.DeleteFunc(slices.Clone(run.Results), func(r workloads.Result) bool { return r.Workload != workload })
	part.Findings = slices.DeleteFunc(slices.Clone(run.Findings), func(f workloads.Finding) bool { return f.Workload != workload })
	o := &Outcome{whole: run}
	o.end(app.EndUpdate{Run: &part})
	o.Progress.Fraction = 1
	if run.Meta.Finished.IsZero() {
		o.Phase, o.Failure, o.Ended = Failed, workloads.Failure{Text: "it was interrupted, or another process is running it"}, time.Time{}
	}
	return o
}
