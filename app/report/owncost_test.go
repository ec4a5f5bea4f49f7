package report

import (
	"math"
	"testing"

	"assay/workloads"
)

func TestOwnCost(t *testing.T) {
	result := func(cores float64, why string, readings, redraws float64) workloads.Result {
		r := workloads.Result{Status: workloads.OK}
		if !math.IsNaN(cores) {
			r.Values.SetNumber(workloads.OwnCPU, cores)
		}
		r.Values.SetText(workloads.OwnSource, why)
		r.Values.SetNumber(workloads.OwnTicks, readings)
		r.Values.SetNumber(workloads.OwnRedraws, redraws)
		return r
	}
	unknown := math.NaN()
	for want, results := range map[string][]workloads.Result{
		"": {{Status: workloads.OK}, {Status: workloads.Failed}},
		"While samples were taken, Assay itself used 2.00 % of a core (at most 3.00 %), its monitor read the machine 4.00 times a second at most, and its window redrew 1.00 times a second at most.": {
			result(0.01, "", 1, 0), result(0.02, "", 4, 1), result(0.03, "", 2, 0),
		},
		"While samples were taken, Assay itself used 2.00 % of a core (at most 2.00 %; not known for 1 result), its monitor read the machine 1.00 times a second at most, and no window was redrawn.": {
			result(0.02, "", 1, 0), result(unknown, "not available: a library used its own threads", 1, 0),
		},
		"While samples were taken, Assay’s own use of a core is not available: a library used its own threads; its monitor read the machine 1.00 times a second at most, and no window was redrawn.": {
			result(unknown, "not available: a library used its own threads", 1, 0),
		},
	} {
		if got := OwnCost(results); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
