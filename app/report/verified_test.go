package report

import (
	"testing"

	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// A statement about all results is true for each of them.
func TestVerified(t *testing.T) {
	compared := workloads.Result{Status: workloads.OK}
	compared.Values.SetNumber(workloads.ErrorMax, 0)
	host, missing := workloads.Result{Status: workloads.OK}, workloads.Result{Status: workloads.Unsupported}
	for want, results := range map[string][]workloads.Result{
		"Nothing was measured":    {missing},
		"The one result verified": {compared},
		"All 2 results verified":  {compared, compared},
		"1 of 2 results were verified; the notes say why the rest were not": {compared, missing},
		"What was measured has no outputs to verify":                        {host, host},
	} {
		if got := Verified(results); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Verified(nil); got != "Nothing was measured" {
		t.Errorf("of no results: %q", got)
	}
}

// Compared sums the results' counts, and is empty without them.
func TestCompared(t *testing.T) {
	result := func(compared, outputs float64) workloads.Result {
		r := workloads.Result{Status: workloads.OK}
		r.Values.SetNumber(workloads.Compared, compared)
		r.Values.SetNumber(workloads.Outputs, outputs)
		return r
	}
	older := workloads.Result{Status: workloads.OK}
	wrong := result(5, 5)
	wrong.Status = workloads.Failed
	const want = "264 of 1,048,584 output elements compared with a float64 reference, all checked to have been written."
	if got := Compared([]workloads.Result{result(256, 1<<20), older, wrong, result(8, 8)}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Compared([]workloads.Result{older, wrong}); got != "" {
		t.Errorf("nothing is recorded, and yet %q", got)
	}
}

func TestDisturbedAndPreciseAreCounted(t *testing.T) {
	timed := func(half float64) workloads.Result {
		r := workloads.Result{Status: workloads.OK}
		r.Values.Set(workloads.Time, stats.Interval{Median: 1, Lo: 1 - half, Hi: 1 + half})
		return r
	}
	noisy := timed(0.2)
	noisy.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	results := []workloads.Result{timed(0.004), noisy, timed(0.02), {Status: workloads.Failed}}
	if got, want := Precise(results, 0.01), "1 of 3 times within the target of ± 0.5 %."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Disturbed(results), "1 of 4 results disturbed: other programs used 63 % of the CPU. No conclusion is drawn from their times."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	results = append(results, noisy)
	if got, want := Disturbed(results), "2 of 5 results disturbed; in the first, other programs used 63 % of the CPU. No conclusion is drawn from their times."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Disturbed(results[:1]) + Precise(nil, 0.01) + Precise(results, 0); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
