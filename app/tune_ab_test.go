package app

import (
	"testing"

	"assay/internal/stats"
	"assay/workloads"
)

// A library beside a kernel of Assay is not what a point is about.
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
