package workloads

import (
	"strings"
	"testing"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads/measure"
)

func TestChartsMarkDisturbedResults(t *testing.T) {
	quiet := Result{ID: "1.1", Variant: "f32"}
	busy := Result{ID: "1.2", Variant: "f32"}
	busy.Warn(WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	found := (&Workload{}).findingsOf(&chart.View{X: chart.Enc{Of: "size"}}, []*Result{&quiet, &busy})
	if len(found) != 1 || found[0].Kind != "disturbed" || found[0].Rows[0] != "1.2" || found[0].Axis != "" {
		t.Errorf("marks %+v", found)
	}
	if rowOf(&quiet).Doubtful || !rowOf(&busy).Doubtful {
		t.Error("a disturbed result, and no other, is doubtful")
	}
}

// Other programs affect times, but not counted bytes.
func TestChartsOfBytesAreNotDisturbed(t *testing.T) {
	busy := Result{ID: "1.1", Workload: "w", Case: "c", Variant: "f32", Status: OK, Settings: Point{{"size", 1}}}
	busy.Values.SetNumber(HeldBytes, 8e6)
	busy.Values.Set(Time, stats.Exact(1))
	busy.Warn(WarningKind(measure.Disturbed), "disturbed")
	view := func(of metric.Name) chart.View {
		return chart.View{X: chart.Enc{Of: "size"}, Y: chart.Enc{Of: string(of)}, Layers: []chart.Layer{chart.Lines{}}}
	}
	w := Workload{Name: "w", Axes: []Axis{{Name: "size"}}, Metrics: metric.List{{Name: HeldBytes, Unit: "B"}}, Views: []chart.View{view(HeldBytes), view(Time)}}
	for i, c := range w.Charts([]Result{busy}) {
		if told := strings.Contains(c.Model.Series[0].Labels[0], "disturbed"); told != (i == 1) {
			t.Errorf("chart %d: label %q", i, c.Model.Series[0].Labels[0])
		}
	}
}
