package report

import (
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// The report has the advice of the rules, with the figures.
func TestHTMLHasAdvice(t *testing.T) {
	r := &bundle.Run{Meta: plainMeta0()}
	slow := workloads.Result{ID: "1.1", Workload: "sweep", Case: "size 64", Variant: "separate", Status: workloads.OK}
	slow.Values.Set(workloads.Time, stats.Interval{Median: 2e-3, Lo: 1.9e-3, Hi: 2.1e-3})
	fast := slow
	fast.ID, fast.Variant, fast.Baseline, fast.Values = "1.2", "fused", "separate", nil
	fast.Values.Set(workloads.Time, stats.Interval{Median: 1e-3, Lo: 0.9e-3, Hi: 1.1e-3})
	fast.Values.Set(workloads.Speedup, stats.Interval{Median: 2, Lo: 1.9, Hi: 2.1})
	r.Results = []workloads.Result{slow, fast}
	var b strings.Builder
	if err := WriteHTML(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h2>Advice</h2>", "One fused kernel is 2.00× faster than separate dispatches", "1.00 (0.900 to 1.10) ms, result 1.2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	busy := slow
	busy.ID = "1.3"
	busy.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: others")
	r.Results = append(r.Results, busy)
	b.Reset()
	if err := WriteHTML(&b, r, nil); err != nil || !strings.Contains(b.String(), "1 of 3 results is disturbed, and left out") {
		t.Errorf("the report does not say what was left out, or %v", err)
	}
	r.Results, r.Meta.Engine.GPU = r.Results[:1], true
	b.Reset()
	if err := WriteHTML(&b, r, nil); err != nil || strings.Contains(b.String(), "<h2>Advice</h2>") {
		t.Errorf("advice without evidence, or %v", err)
	}
}
