package app

import (
	"math"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
)

// A library beside an Assay kernel is not the subject of a point.
func TestHeadlineIsNoLibrary(t *testing.T) {
	ours := workloads.Result{Variant: "f32", Status: workloads.OK}
	library := workloads.Result{
		Variant: "f32 OpenBLAS", Baseline: "f32", Status: workloads.OK, Settings: workloads.Point{{Name: "kernel", Value: "matmul/openblas/f32"}},
	}
	library.Values.Set(workloads.Speedup, stats.Exact(0.5))
	p := Tuned{Results: []workloads.Result{ours, library}}
	if got := p.Headline(); got.Variant != "f32" {
		t.Errorf("the headline is %s", got.Variant)
	}
	p.Results[1].Settings = nil
	if got := p.Headline(); got.Variant != "f32 OpenBLAS" {
		t.Errorf("of another variant the headline is %s", got.Variant)
	}
}

// A point is called faster or slower only if the whole interval is.
func TestPointsClaimNoMoreThanTheirIntervals(t *testing.T) {
	for want, s := range map[string]stats.Interval{
		"no measurable difference from separate, 0.962× (0.790–1.09)":               {Median: 1 / 1.04, Lo: 0.79, Hi: 1.09},
		"1.04× slower than separate (1.02–1.10)":                                    {Median: 1 / 1.04, Lo: 1 / 1.1, Hi: 1 / 1.02},
		"no confirmed difference of more than 1 % from separate, 1.00× (1.00–1.01)": {Median: 1.004, Lo: 1.002, Hi: 1.006},
		"2.00× faster than separate (1.90–2.10)":                                    {Median: 2, Lo: 1.9, Hi: 2.1},
		"2.00× faster than separate (no interval: one sample)":                      {Median: 2, Lo: math.NaN(), Hi: math.NaN()},
	} {
		r := workloads.Result{Variant: "fused", Baseline: "separate", Samples: make([]float64, 1)}
		r.Values.Set(workloads.Speedup, s)
		if got := speedTexts(&r, &workloads.Workload{}); len(got) != 1 || got[0] != want {
			t.Errorf("%v: %q, want %q", s, got, want)
		}
	}
}
