package cli

import (
	"fmt"
	"strings"

	"assay/app/bundle"
	"assay/workloads"
)

// unusedSets says which --set flags have no effect on any job, because of the other values.
func unusedSets(sets []string, all []workloads.Workload, jobs []bundle.Job) (words []string) {
	for _, s := range sets {
		name, _, _ := strings.Cut(s, "=")
		if why := unusedSet(name, all, jobs); why != "" {
			words = append(words, fmt.Sprintf("--set %s has no effect: %s.", s, why))
		}
	}
	return words
}

// unusedSet says why jobs ignore a parameter, which may be NAME or WORKLOAD.NAME; empty if one of them does not.
func unusedSet(name string, all []workloads.Workload, jobs []bundle.Job) (why string) {
	only, param, scoped := strings.Cut(name, ".")
	if !scoped {
		param = name
	}
	for i := range jobs {
		w, err := workloads.Find(all, jobs[i].Workload)
		if err != nil || scoped && w.Name != only {
			continue
		}
		p, err := w.Param(param)
		if err != nil {
			continue
		}
		if why = w.Unused(p, jobs[i].Params); why == "" {
			return ""
		}
	}
	return why
}
