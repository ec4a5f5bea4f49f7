package view_test

import (
	"math"
	"slices"
	"testing"

	"assay/internal/chart"
	"assay/ui/uitest"
	"assay/ui/view"
	"assay/workloads"
	"assay/workloads/suite"
	"assay/workloads/suite/throughput"
)

func TestPlotsFollowTheView(t *testing.T) {
	w := throughput.Batching()
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
	if !slices.Equal(m.Marks, []chart.Mark{{X: 512, Label: "knee"}}) || m.X.Scale != chart.Log2 || m.Y.Unit != "FLOP/s" {
		t.Errorf("marks %v, axes %+v %+v", m.Marks, m.X, m.Y)
	}
}

func TestPlotsSplitQuantities(t *testing.T) {
	w := throughput.Fusion()
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
	if len(list) != 3 || list[0].Title != "Speed-up by matrix side" || list[1].Title == list[0].Title {
		t.Fatalf("%d charts, want one per quantity, a matrix side being no vector length, and one of pairs", len(list))
	}
	series := list[0].Model.Series
	if len(series) != 1 || len(series[0].X) != 2 {
		t.Fatalf("series %+v, want the two fused points", series)
	}
	if rules := list[0].Model.Rules; len(rules) != 1 || rules[0].Y != 1 {
		t.Errorf("rules %+v, want a line at 1", rules)
	}
	bars := list[2].Model
	if len(bars.Series) != 2 || bars.Series[0].Name != "separate" || bars.Series[1].Kind != chart.BarKind || len(bars.Series[1].X) != 3 {
		t.Errorf("pairs %+v, want bars of separate and fused", bars.Series)
	}
}

func TestPlotsOfNothing(t *testing.T) {
	for _, w := range suite.All() {
		if list := view.Plots(&w, nil); len(list) != 0 {
			t.Errorf("%s: %d charts of no results", w.Name, len(list))
		}
		broken := workloads.Result{Workload: w.Name, Status: workloads.OK, Time: uitest.Interval(math.NaN(), 0), Speedup: uitest.Interval(math.NaN(), 0)}
		if list := view.Plots(&w, []workloads.Result{broken}); len(list) != 0 {
			t.Errorf("%s: a result without numbers is drawn", w.Name)
		}
	}
}
