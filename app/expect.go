package app

import (
	"slices"
	"time"

	"assay/workloads"
)

// Expect returns how many cases a run measures and about how long they take: each takes its budget, which grows with its variants.
func (r *Request) Expect(all []workloads.Workload) (cases int, took time.Duration) {
	for i, j := range r.Jobs {
		w, err := workloads.Find(all, j.Workload)
		if err != nil {
			continue
		}
		n, variants := 0, 2
		for _, at := range w.Points(j.Params) {
			if !r.measured(i, at) {
				n++
			}
		}
		if w.Variants != nil {
			variants = max(variants, w.Variants(j.Params))
		}
		cases += n
		took += time.Duration(n*variants) * r.budget() / 2
	}
	if d := r.Throttling.Duty; d > 0 {
		took = time.Duration(float64(took) / d)
	}
	if r.Beside != "" {
		took *= 2
	}
	return cases, took
}

// TakesOver reports whether cases of an earlier run are taken over.
func (r *Request) TakesOver(all []workloads.Workload) bool {
	for i, j := range r.Jobs {
		w, err := workloads.Find(all, j.Workload)
		if err == nil && slices.ContainsFunc(w.Points(j.Params), func(at workloads.Point) bool { return r.measured(i, at) }) {
			return true
		}
	}
	return false
}
