package workloads

import (
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
)

// The smallest format shown to lose little enough is chosen: an interval that reaches further disqualifies a format.
func TestKeeping(t *testing.T) {
	format := func(variant string, bytes float64, lost stats.Interval) Result {
		r := Result{ID: variant, Case: "net", Variant: variant, Status: OK}
		r.Values.SetNumber(Footprint, bytes)
		r.Values.Set(Accuracy, stats.Interval{Median: 0.9, Lo: 0.88, Hi: 0.92})
		if variant != "f32" {
			r.Values.Set(AccuracyLost, lost)
		}
		return r
	}
	failed := format("tiny", 1, stats.Exact(0))
	failed.Status = Failed
	k := Keeping{Subject: Subject{Name: "Net", Baseline: "f32"}, Weights: 100, Allowed: 0.01, Results: []Result{
		format("f32", 400, stats.Interval{}), failed, format("as small", 100, stats.Interval{Median: 0, Lo: -0.009, Hi: 0.009}),
		format("int8", 100, stats.Interval{Median: 0, Lo: -0.005, Hi: 0.005}),
		format("unsure", 60, stats.Interval{Median: 0.005, Lo: -0.01, Hi: 0.02}), format("int4", 50, stats.Interval{Median: 0.05, Lo: 0.04, Hi: 0.06}),
	}}
	got := k.Smallest()
	if want := "Net: int8 is the smallest measured format that loses at most 1.00 percentage points of f32’s accuracy, with 90.0 % (88.0 to 92.0) correct, " +
		"0 (-0.500 to 0.500) points lost, at 8 bits per weight (4.00× smaller)."; len(got) != 1 || got[0].Sentence() != want || got[0].Result != "int8" {
		t.Errorf("%+v, want %q", got, want)
	}
	k.Allowed = 0.001
	if got = k.Smallest(); len(got) != 1 || !strings.Contains(got[0].Sentence(), "int8 comes closest") || got[0].Result != "" {
		t.Errorf("nothing keeps: %+v", got)
	}
	k.Results = k.Results[:2]
	if got = k.Smallest(); got != nil {
		t.Errorf("of f32 alone: %+v", got)
	}
	if !math.IsNaN(k.Results[0].Number(AccuracyLost)) {
		t.Error("f32 loses something")
	}
}
