package view_test

import (
	"slices"
	"strings"
	"testing"

	"assay/app"
	"assay/ui/chart"
	"assay/ui/uitest"
	"assay/ui/view"
	"assay/workloads"
)

func TestTunedPointsAreHollowInTheirChart(t *testing.T) {
	w := workloads.Batching()
	points := []app.Tuned{
		uitest.Tuned("batching", "max_batch", nil, uitest.SweepResult("mlp", "batch", 12, 40)),
		uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", 700, 171)),
	}
	list := view.PlotsWith(&w, uitest.Sweep(), points)
	if len(list) != 2 || !list[0].Newest || list[1].Newest {
		t.Fatalf("%d charts, the newest point in the first: %v", len(list), list[0].Newest)
	}
	series := list[0].Model.Series
	s := series[len(series)-1]
	if len(series) != 2 || !s.Hollow || s.Kind != chart.Points || s.Name != "f32, tuned" || !slices.Equal(s.X, []float64{700}) ||
		!(s.Lo[0] < s.Y[0] && s.Y[0] < s.Hi[0]) || s.Labels[0] != "171 GFLOP/s" {
		t.Errorf("drawn %+v", s)
	}
	if s := list[1].Model.Series[1]; s.Labels[0] != "" {
		t.Errorf("an older point is labelled %q", s.Labels[0])
	}
	alone := view.PlotsWith(&w, nil, points[1:])
	if len(alone) != 1 || len(alone[0].Model.Series) != 1 || !alone[0].Newest {
		t.Errorf("without a run: %+v", alone)
	}
}

func TestTunedSentence(t *testing.T) {
	p := uitest.Tuned("batching", "max_size", nil, uitest.SweepResult("matmul", "size", 700, 171))
	got, ok := view.TunedSentence(&p)
	if want := "matmul 700, f32: 171 GFLOP/s (170 to 172), 8.19 ms. A short measurement: 5 samples in 0.38 s."; got != want || !ok {
		t.Errorf("told %q, want %q", got, want)
	}
	p.Results[0].Status, p.Results[0].Reason = workloads.Failed, "element 3 is 1, want 2"
	if got, ok := view.TunedSentence(&p); ok || !strings.Contains(got, "gave no time: element 3 is 1") {
		t.Errorf("told %q", got)
	}
}

func TestFrontIsWhatNothingBeats(t *testing.T) {
	w := workloads.Quantization()
	list := view.Plots(&w, uitest.QuantizationResults())
	if len(list) != 1 {
		t.Fatalf("%d charts", len(list))
	}
	m := list[0].Model
	front := m.Series[len(m.Series)-1]
	if want := []float64{19, 20.2, 21.5, 39, 43.5, 46, 73}; !slices.Equal(front.X, want) {
		t.Errorf("the front is at %v, want %v", front.X, want)
	}
}

func TestKneesOfManySeriesAreNamed(t *testing.T) {
	w := workloads.Fusion()
	results := uitest.FusionResults()
	list := view.Plots(&w, results)
	if m := list[0].Model; !slices.Equal(m.Marks, []chart.Mark{{X: 512, Label: "crossover"}}) {
		t.Errorf("marks %v", m.Marks)
	}
	other := slices.Clone(results[:10])
	for i := range other {
		other[i].Settings = []workloads.Setting{{Name: "pattern", Value: "matmul+relu"}, other[i].Settings[1]}
		other[i].Mark = ""
	}
	other[5].Mark = "crossover"
	list = view.Plots(&w, append(results, other...))
	want := []chart.Mark{{X: 512, Label: "crossover matmul+bias+relu"}, {X: 256, Label: "crossover matmul+relu"}}
	if m := list[0].Model; !slices.Equal(m.Marks, want) {
		t.Errorf("marks %v, want %v", m.Marks, want)
	}
}
