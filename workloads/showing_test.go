package workloads

import (
	"slices"
	"testing"

	"assay/internal/chart"
)

// The Y axes of a workload's charts can show other quantities, with the limits on them.
func TestChartsShowOtherQuantities(t *testing.T) {
	w := Workload{
		Name: "w", Axes: []Axis{{Name: "size"}},
		Params: []Param{{Name: "max", Title: "Latency limit", Type: Float, Unit: "ms", Line: Line{Time, 1e-3}}},
		Views: []chart.View{{
			X: chart.Enc{Of: "size"}, Y: chart.Enc{Of: string(Throughput)}, Ys: []chart.Enc{{Of: string(Time), Scale: chart.Log10}},
			Layers: []chart.Layer{chart.Lines{}},
		}},
	}
	if got, want := w.Quantities(), []string{"Throughput", "Time"}; !slices.Equal(got, want) {
		t.Errorf("quantities %q, want %q", got, want)
	}
	r := Result{ID: "1", Workload: "w", Variant: "x", Status: OK, Settings: Point{{"size", 64}}}
	r.Values.Set(Time, exactly(0.004))
	r.Values.Set(Throughput, exactly(5e9))
	for _, tc := range []struct {
		k     int
		limit float64
		y     float64
		rules []chart.Rule
	}{
		{0, 8, 5e9, nil},
		{1, 8, 0.004, []chart.Rule{{Y: 0.008, Label: "Latency limit, 8.00 ms"}}},
		{1, 0, 0.004, nil},
	} {
		charts := w.Showing(tc.k, Values{"max": tc.limit}).Charts([]Result{r})
		if len(charts) != 1 || charts[0].Model.Series[0].Y[0] != tc.y || !slices.Equal(charts[0].Model.Rules, tc.rules) {
			t.Errorf("quantity %d, limit %v: %+v", tc.k, tc.limit, charts)
		}
	}
	if len(w.Views[0].Layers) != 1 || w.Views[0].Y.Of != string(Throughput) {
		t.Error("the workload itself has changed")
	}
}
