package app

import (
	"assay/app/bundle"
	"assay/workloads"
)

// choose finds the configuration of a job that best meets the run's target.
func (a *activeRun) choose(w *workloads.Workload, job int) {
	if w.Control || w.Series {
		return // it has no configurations
	}
	for _, f := range a.request.Target.Choose(w.Title, resultsOf(a.bundle.Run(), job)) {
		w.Word(&f)
		a.Finding(f)
	}
}

// resultsOf returns the results of one job.
func resultsOf(run *bundle.Run, job int) (own []workloads.Result) {
	for _, r := range run.Results {
		if r.Job == job {
			own = append(own, r)
		}
	}
	return own
}
