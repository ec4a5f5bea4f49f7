package report

import (
	"slices"

	"assay/internal/plain"
	"assay/workloads"
)

// variantKernels are the kernels behind a variant.
type variantKernels struct {
	Variant string
	Kernels []string
}

// ranKernels returns the kernels behind each variant, with their constants and why they were chosen, in the order of the results. A
// variant that ran others in other cases lists all of them.
func ranKernels(w *workloads.Workload, results []workloads.Result) []variantKernels {
	if !w.Axis(workloads.KernelAxis).Measured {
		return nil
	}
	var out []variantKernels
	for i := range results {
		text, _ := results[i].Setting(workloads.KernelAxis).(string)
		if text == "" {
			continue
		}
		text, variant := plain.Text(text), plain.Text(results[i].Variant)
		at := slices.IndexFunc(out, func(v variantKernels) bool { return v.Variant == variant })
		if at < 0 {
			at, out = len(out), append(out, variantKernels{Variant: variant})
		}
		if !slices.Contains(out[at].Kernels, text) {
			out[at].Kernels = append(out[at].Kernels, text)
		}
	}
	return out
}
