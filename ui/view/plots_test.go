package view_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"assay/internal/chart"
	"assay/internal/metric"
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
	results[3].Marks = workloads.Marks("knee")
	list := view.Plots(&w, results)
	if len(list) != 2 || list[0].Name != "matmul" || list[1].Name != "mlp" {
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
		r.Workload, r.Variant, r.Baseline = "fusion", variant, baseline
		r.Values.Set(workloads.Speedup, uitest.Interval(speedup, 0.01))
		r.Settings = []workloads.Setting{{Name: "pattern", Value: "p"}, {Name: axis, Value: n}}
		return r
	}
	list := view.Plots(&w, []workloads.Result{
		result("size", 64, "separate", "", nan), result("size", 64, "fused", "separate", 1.2), result("size", 128, "fused", "separate", 1.1),
		result("elements", 1000, "fused", "separate", 1.9),
	})
	if len(list) != 4 || list[0].Name != "Speedup by size" || list[1].Name == list[0].Name {
		t.Fatalf("%d charts, want one and one of pairs per quantity, a size being no vector length", len(list))
	}
	series := list[0].Model.Series
	if len(series) != 1 || len(series[0].X) != 2 {
		t.Fatalf("series %+v, want the two fused points", series)
	}
	if rules := list[0].Model.Rules; len(rules) != 1 || rules[0].Y != 1 {
		t.Errorf("rules %+v, want a line at 1", rules)
	}
	bars := list[2].Model
	if len(bars.Series) != 2 || bars.Series[0].Name != "separate" || bars.Series[1].Kind != chart.BarKind || len(bars.Series[1].X) != 2 ||
		list[3].Model.Series[0].Name != "fused" || len(list[3].Model.Series[0].X) != 1 {
		t.Errorf("pairs %+v and %+v, want bars of separate and fused", bars.Series, list[3].Model.Series)
	}
}

func TestPlotsOfNothing(t *testing.T) {
	for _, w := range suite.All() {
		if list := view.Plots(&w, nil); len(list) != 0 {
			t.Errorf("%s: %d charts of no results", w.Name, len(list))
		}
		broken := workloads.Result{Workload: w.Name, Status: workloads.OK}
		if list := view.Plots(&w, []workloads.Result{broken}); len(list) != 0 {
			t.Errorf("%s: a result without numbers is drawn", w.Name)
		}
	}
}

// A result that two findings point to has the line of one and the name of the other.
func TestTwoMarksOfOneResult(t *testing.T) {
	w := throughput.Batching()
	results := uitest.Sweep()
	results[3].Marks = workloads.Marks("knee", "best")
	m := view.Plots(&w, results)[0].Model
	if !slices.Equal(m.Marks, []chart.Mark{{X: 512, Label: "knee"}}) {
		t.Errorf("marks %v", m.Marks)
	}
	if at := slices.Index(m.Series[0].X, 512); m.Series[0].Labels[at] != "best" {
		t.Errorf("labels %q", m.Series[0].Labels)
	}
}

// Charts of one workload that differ in what they show have distinguishing names.
func TestChartsAreNamedApart(t *testing.T) {
	for _, w := range suite.All() {
		var results []workloads.Result
		for _, facet := range []string{"first", "second"} {
			for n := 1; n <= 4; n *= 2 {
				r := workloads.Result{Workload: w.Name, Case: fmt.Sprint(facet, n), Variant: "way", Status: workloads.OK}
				for _, a := range w.Axes {
					r.Settings = append(r.Settings, workloads.Setting{Name: a.Name, Value: n})
				}
				for i := range w.Views {
					v := &w.Views[i]
					if v.Facet != "" {
						at := slices.IndexFunc(r.Settings, func(s workloads.Setting) bool { return s.Name == v.Facet })
						r.Settings[at].Value = facet
					}
					if w.Axis(v.Y.Of).Name == "" {
						r.Values.SetNumber(metric.Name(v.Y.Of), float64(n))
					}
				}
				results = append(results, r)
			}
		}
		names := map[string]bool{}
		plots := view.Plots(&w, results)
		for _, p := range plots {
			along := p.Name + " by " + p.Model.X.Title // a facet of a real run has one axis
			if names[along] || p.Name == "" && len(plots) > 1 {
				t.Errorf("%s: %d charts, one of which is named %q like another", w.Name, len(plots), p.Name)
			}
			names[along] = true
		}
	}
}
