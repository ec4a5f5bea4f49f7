package workloads

import (
	"testing"

	"assay/internal/chart"
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
