package benchtest

import (
	"math"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
)

// Untimed checks that a result that is not OK says why and has no time.
func Untimed(t testing.TB, r *workloads.Result) {
	t.Helper()
	if r.Reason == "" || len(r.Samples) > 0 || !math.IsNaN(r.Time.Median) || r.Speedup.Bounded() ||
		!math.IsNaN(r.Quantity(workloads.Throughput).Median) || !math.IsNaN(r.GFLOPS()) {
		t.Errorf("%s %s is %s (%q) and has the time %+v", r.Case, r.Variant, r.Status, r.Reason, r.Time)
	}
}

// CheckMeasured checks a result of the fake engine, which is right and whose clock has no noise.
func CheckMeasured(t testing.TB, w *workloads.Workload, r *workloads.Result) {
	t.Helper()
	if r.Status != workloads.OK || r.Reason != "" || !(r.Time.Median > 0) || r.Time.Lo != r.Time.Hi || len(r.Samples) < 6 {
		t.Errorf("%s %s: status %s %q, time %+v of %d samples", r.Case, r.Variant, r.Status, r.Reason, r.Time, len(r.Samples))
	}
	if r.Dispatches < 1 || !(r.Bytes > 0) || r.Items == 0 || r.Reps != 1 {
		t.Errorf("%s %s: %d dispatches, %g B, %g items, %d reps", r.Case, r.Variant, r.Dispatches, r.Bytes, r.Items, r.Reps)
	}
	if math.IsNaN(r.ErrorMax) || math.IsNaN(r.ErrorRel) {
		t.Errorf("%s %s: no errors against the reference", r.Case, r.Variant)
	}
	if r.Baseline != "" && !r.Speedup.Bounded() {
		t.Errorf("%s %s: speed-up %+v", r.Case, r.Variant, r.Speedup)
	}
	for _, s := range r.Settings {
		found := false
		for _, a := range w.Axes {
			found = found || a.Name == s.Name
		}
		if !found {
			t.Errorf("%s %s: setting %s is no axis", r.Case, r.Variant, s.Name)
		}
	}
	for name, q := range map[string]float64{
		"time_s": r.Time.Median, "gflops": r.GFLOPS(), "gbps": r.GBps(), "items_per_s": r.ItemsPerS(), "speedup": r.Speedup.Median,
	} {
		got := r.Quantity(workloads.Quantity(name)).Median
		if math.Abs(got-q) > 1e-12*math.Abs(q) || math.IsNaN(got) != math.IsNaN(q) {
			t.Errorf("%s %s: quantity %s is %g, want %g", r.Case, r.Variant, name, got, q)
		}
	}
}

// Timed is a result with a time of so many seconds and no noise.
func Timed(name, variant string, seconds float64) workloads.Result {
	r := workloads.NewResult()
	r.Workload, r.Case, r.Variant, r.Status = "test", name, variant, workloads.OK
	r.Time = stats.Interval{Median: seconds, Lo: seconds, Hi: seconds}
	return r
}
