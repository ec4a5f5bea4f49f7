package app

import (
	"time"

	"assay/app/bundle"
	"assay/workloads"
)

// Expect is how many cases jobs have, and about how long they take: each case its budget, which grows with its variants.
func Expect(all []workloads.Workload, jobs []bundle.Job, quick bool) (cases int, took time.Duration) {
	each := budget
	if quick {
		each = quickBudget
	}
	for _, j := range jobs {
		w, err := workloads.Find(all, j.Workload)
		if err != nil {
			continue
		}
		n, variants := len(w.Points(j.Params)), 2
		if w.Variants != nil {
			variants = max(variants, w.Variants(j.Params))
		}
		cases += n
		took += time.Duration(n*variants) * each / 2
	}
	return cases, took
}
