package view_test

import (
	"math"
	"slices"
	"testing"

	"assay/ui/chart"
	"assay/ui/uitest"
	"assay/ui/view"
	"assay/workloads"
)

func TestPlotsFollowTheView(t *testing.T) {
	w := workloads.Batching()
	results := uitest.Sweep()
	results[2].Status = workloads.Failed // must not be drawn
	results[3].Mark = "knee"
	list := view.Plots(&w, results)
	if len(list) != 2 || list[0].Title != "matmul" || list[1].Title != "mlp" {
		t.Fatalf("charts %v, want matmul and mlp", list)
	}
	m := list[0].Model
	if len(m.Series) != 1 || m.Series[0].Name != "f32" || !slices.Equal(m.Series[0].X, []float64{64, 128, 512, 1024, 2048}) {
		t.Errorf("series %+v, want f32 at the five sizes that were verified", m.Series)
	}
	if got := m.Series[0].Y[0]; math.Abs(got-21e9) > 1e3 {
		t.Errorf("the first point is %v FLOP/s, want 21e9", got)
	}
	if m.Series[0].Labels[2] != "knee" || m.X.Scale != chart.Log2 || m.Y.Unit != "FLOP/s" {
		t.Errorf("labels %v, axes %+v %+v", m.Series[0].Labels, m.X, m.Y)
	}
}

func TestPlotsSplitQuantities(t *testing.T) {
	w := workloads.Fusion()
	nan := math.NaN()
	result := func(axis string, n int, variant, baseline string, speedup float64) workloads.Result {
		r := uitest.SweepResult("matmul", axis, n, 10)
		r.Workload, r.Variant, r.Baseline, r.Speedup = "fusion", variant, baseline, uitest.Interval(speedup, 0.01)
		r.Settings = []workloads.Setting{{Name: "pattern", Value: "p"}, {Name: axis, Value: n}}
		return r
	}
	list := view.Plots(&w, []workloads.Result{
		result("size", 64, "separate", "", nan), result("size", 64, "fused", "separate", 1.2), result("size", 128, "fused", "separate", 1.1),
		result("elements", 1000, "fused", "separate", 1.9),
	})
	if len(list) != 2 || list[0].Title == list[1].Title {
		t.Fatalf("%d charts, want one per quantity: a matrix side is no vector length", len(list))
	}
	series := list[0].Model.Series
	if len(series) != 2 || len(series[0].X) != 2 {
		t.Fatalf("series %+v, want the two fused points and the reference", series)
	}
	if ref := series[1]; ref.Y[0] != 1 || ref.X[0] != 64 || ref.X[1] != 128 {
		t.Errorf("reference %+v, want a line at 1 over the whole chart", ref)
	}
}

func TestPlotsOfNothing(t *testing.T) {
	for _, w := range workloads.All() {
		if list := view.Plots(&w, nil); len(list) != 0 {
			t.Errorf("%s: %d charts of no results", w.Name, len(list))
		}
		broken := workloads.Result{Workload: w.Name, Status: workloads.OK, Time: uitest.Interval(math.NaN(), 0), Speedup: uitest.Interval(math.NaN(), 0)}
		if list := view.Plots(&w, []workloads.Result{broken}); len(list) != 0 {
			t.Errorf("%s: a result without numbers is drawn", w.Name)
		}
	}
}
