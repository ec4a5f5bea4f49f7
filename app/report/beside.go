package report

import (
	"fmt"
	"slices"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// Beside states, in a sentence that names the baseline, how the run's results compare with the engine measured beside it; empty:
// there was none.
func Beside(r *bundle.Run) string {
	b := r.Meta.Beside
	if b == nil {
		return ""
	}
	if b.Missing != "" {
		return "Speedup over " + plain.Text(b.Engine) + ": not available: " + plain.Text(b.Missing) + "."
	}
	var all []float64
	without := 0
	for i := range r.Results {
		if v := r.Results[i].Number(workloads.BesideSpeedup); v > 0 {
			all = append(all, v)
		} else {
			without++
		}
	}
	words := fmt.Sprintf("Speedup over %s (measured before, not interleaved): ", plain.Text(b.Baseline))
	if len(all) == 0 {
		return words + "not available for any result; the column Beside says why."
	}
	slices.Sort(all)
	words += fmt.Sprintf("%s× to %s×, in %s", si.Digits(all[0]), si.Digits(all[len(all)-1]), si.Counted(len(all), "result"))
	if len(all) == 1 {
		words = fmt.Sprintf("Speedup over %s (measured before, not interleaved): %s×", plain.Text(b.Baseline), si.Digits(all[0]))
	}
	if without > 0 {
		words += fmt.Sprintf("; not available for %s", si.Counted(without, "other"))
	}
	return words + "."
}
