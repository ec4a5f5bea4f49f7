package benchtest

import (
	"math"
	"slices"
	"testing"

	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
)

// Untimed checks that a result that is not OK has a reason and no time.
func Untimed(t testing.TB, r *workloads.Result) {
	t.Helper()
	if r.Failure.Text == "" || len(r.Samples) > 0 || !math.IsNaN(r.Time().Median) || r.Speedup().Bounded() ||
		!math.IsNaN(r.Get(workloads.Throughput).Median) || !math.IsNaN(r.Number(workloads.Throughput)) {
		t.Errorf("%s %s is %s (%q) and has the time %+v", r.Case, r.Variant, r.Status, r.Failure.Text, r.Time())
	}
}

// CheckMeasured checks a result of the fake engine, which computes correctly and whose clock has no noise.
func CheckMeasured(t testing.TB, w *workloads.Workload, r *workloads.Result) {
	t.Helper()
	if r.Status != workloads.OK || r.Failure.Text != "" || !(r.Time().Median > 0) || r.Time().Lo != r.Time().Hi || len(r.Samples) < 6 {
		t.Errorf("%s %s: status %s %q, time %+v of %d samples", r.Case, r.Variant, r.Status, r.Failure.Text, r.Time(), len(r.Samples))
	}
	chosen := slices.ContainsFunc(w.Params, func(p workloads.Param) bool { return p.Name == "operands" })
	rounds := chosen && r.Setting("operands") == "memory" // a sample is a round through several sets
	moves := r.Number(workloads.Bytes) > 0
	if w.Name == "latency" && r.Setting("set") == nil { // empty dispatches
		moves = math.IsNaN(r.Number(workloads.Bytes))
	}
	if reps := r.Number(workloads.Repetitions); r.Number(workloads.Dispatches) < 1 || !moves || r.Number(workloads.Items) == 0 || !(reps >= 1) || reps > 1 && !rounds {
		t.Errorf("%s %s: %g dispatches, %g B, %g items, %g reps", r.Case, r.Variant, r.Number(workloads.Dispatches), r.Number(workloads.Bytes), r.Number(workloads.Items), r.Number(workloads.Repetitions))
	}
	if math.IsNaN(r.Number(workloads.ErrorMax)) || math.IsNaN(r.Number(workloads.ErrorRel)) {
		t.Errorf("%s %s: no errors against the reference", r.Case, r.Variant)
	}
	if from := r.Setting("operands"); from != "memory" && from != "cache" && !(from == nil && w.Axis("operands").Measured) {
		t.Errorf("%s %s: operands are read from %v", r.Case, r.Variant, from)
	}
	if c, n := r.Number(workloads.Compared), r.Number(workloads.Outputs); !(c > 0 && c <= n) {
		t.Errorf("%s %s: %g of %g output elements compared", r.Case, r.Variant, c, n)
	}
	if r.Baseline != "" && !r.Speedup().Bounded() {
		t.Errorf("%s %s: speedup %+v", r.Case, r.Variant, r.Speedup())
	}
	for _, s := range r.Settings {
		found := false
		for _, a := range w.Axes {
			found = found || a.Name == s.Name
		}
		if !found {
			t.Errorf("%s %s: setting %s is not an axis", r.Case, r.Variant, s.Name)
		}
	}
	for name, q := range map[metric.Name]float64{
		"time_s": r.Time().Median, "flops_per_s": r.Number("ops") / r.Time().Median, "bytes_per_s": r.Number("bytes") / r.Time().Median,
		"items_per_s": r.Number("items") / r.Time().Median, "speedup": r.Speedup().Median,
	} {
		got := r.Get(name).Median
		if math.Abs(got-q) > 1e-12*math.Abs(q) || math.IsNaN(got) != math.IsNaN(q) {
			t.Errorf("%s %s: quantity %s is %g, want %g", r.Case, r.Variant, name, got, q)
		}
	}
}

// Timed returns a result with the given time in seconds and no noise.
func Timed(name, variant string, seconds float64) workloads.Result {
	r := workloads.Result{}
	r.Workload, r.Case, r.Variant, r.Status = "test", name, variant, workloads.OK
	r.Values.Set(workloads.Time, stats.Interval{Median: seconds, Lo: seconds, Hi: seconds})
	return r
}
