package workloads

import (
	"slices"
	"testing"

	"assay/internal/chart"
)

// The axes of a workload's charts can show other quantities, with the limits on them, and without the rules of the usual one.
func TestChartsShowOtherQuantities(t *testing.T) {
	w := Workload{
		Name: "w", Axes: []Axis{{Name: "size", Title: "Size"}},
		Params: []Param{{Name: "max", Title: "Latency limit", Type: Float, Unit: "ms", Line: Line{Time, 1e-3}}},
		Views: []chart.View{{
			X: chart.Enc{Of: "size"}, Xs: []chart.Enc{{Of: string(Power)}}, Y: chart.Enc{Of: string(Throughput)}, Ys: []chart.Enc{{Of: string(Time), Scale: chart.Log10}},
			Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1e9, Label: "peak"}},
		}},
	}
	across, up := w.Quantities()
	if want := []string{"Throughput", "Time"}; !slices.Equal(up, want) || !slices.Equal(across, []string{"Size", "Power"}) {
		t.Errorf("quantities %q and %q, want %q", across, up, want)
	}
	r := Result{ID: "1", Workload: "w", Variant: "x", Status: OK, Settings: Point{{"size", 64}}}
	r.Values.Set(Time, exactly(0.004))
	r.Values.Set(Throughput, exactly(5e9))
	r.Values.SetNumber(Power, 42)
	for _, tc := range []struct {
		what  Shown
		limit float64
		x, y  float64
		rules []chart.Rule
	}{
		{Shown{}, 8, 64, 5e9, []chart.Rule{{Y: 1e9, Label: "peak"}}},
		{Shown{Y: 1}, 8, 64, 0.004, []chart.Rule{{Y: 0.008, Label: "Latency limit, 8.00 ms"}}},
		{Shown{Y: 1}, 0, 64, 0.004, nil},
		{Shown{X: 1}, 0, 42, 5e9, []chart.Rule{{Y: 1e9, Label: "peak"}}},
		{Shown{X: 2, Y: 2}, 0, 64, 5e9, []chart.Rule{{Y: 1e9, Label: "peak"}}}, // there are none
	} {
		charts := w.Showing(tc.what, Values{"max": tc.limit}).Charts([]Result{r})
		if len(charts) != 1 || charts[0].Model.Series[0].Y[0] != tc.y || charts[0].Model.Series[0].X[0] != tc.x || !slices.Equal(charts[0].Model.Rules, tc.rules) {
			t.Errorf("%+v, limit %v: %+v", tc.what, tc.limit, charts)
		}
	}
	if len(w.Views[0].Layers) != 2 || w.Views[0].Y.Of != string(Throughput) {
		t.Error("the workload itself has changed")
	}
}
