package view

import (
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/workloads"
)

// RunTitle names the workloads of a run.
func RunTitle(all []workloads.Workload, jobs []bundle.Job) string {
	var names []string
	for _, j := range jobs {
		title := j.Workload
		if w, err := workloads.Find(all, j.Workload); err == nil {
			title = w.Title
		}
		if !slices.Contains(names, title) {
			names = append(names, title)
		}
	}
	return strings.Join(names, ", ")
}

// Changed names the parameters of a run that differ from the defaults: "width 1024". With several workloads each is named
// too. A quick run says so.
func Changed(all []workloads.Workload, jobs []bundle.Job, quick bool) string {
	var parts []string
	if quick {
		parts = append(parts, "quick")
	}
	for _, j := range jobs {
		w, err := workloads.Find(all, j.Workload)
		if err != nil {
			continue
		}
		words := w.Changed(j.Params, quick)
		if words != "" && len(jobs) > 1 {
			words = w.Title + ": " + words
		}
		if words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, ", ")
}
