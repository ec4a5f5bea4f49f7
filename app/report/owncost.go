package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// OwnCost says what Assay itself did while samples were taken, apart from the kernels: its CPU time, readings of the monitor and
// redraws of the window, for the median and the worst result; empty: no result says so. Each result has its own.
func OwnCost(results []workloads.Result) string {
	var cores, readings, redraws []float64
	why := ""
	for i := range results {
		r := &results[i]
		if r.Status != workloads.OK || math.IsNaN(r.Number(workloads.OwnTicks)) {
			continue
		}
		readings, redraws = append(readings, r.Number(workloads.OwnTicks)), append(redraws, r.Number(workloads.OwnRedraws))
		if own := r.Number(workloads.OwnCPU); !math.IsNaN(own) {
			cores = append(cores, own)
		} else if why == "" {
			why = r.Values.Text(workloads.OwnSource)
		}
	}
	if len(readings) == 0 {
		return ""
	}
	used := "Assay’s own use of a core is " + plain.Text(cmp.Or(why, "not available")) + ";"
	if len(cores) > 0 {
		used = fmt.Sprintf("Assay itself used %s of a core (at most %s", si.Format(stats.Median(cores).Median, "ratio"), si.Format(slices.Max(cores), "ratio"))
		if n := len(readings) - len(cores); n > 0 {
			used += fmt.Sprintf("; not known for %s", si.Counted(n, "result"))
		}
		used += "),"
	}
	return fmt.Sprintf("While samples were taken, %s its monitor %s, and %s.", used,
		often("did not read the machine", "read the machine", slices.Max(readings)), often("no window was redrawn", "its window redrew", slices.Max(redraws)))
}

// often says how often something was done per second, at most.
func often(never, done string, most float64) string {
	if most == 0 {
		return never
	}
	return done + " " + si.Digits(most) + " times a second at most"
}
