package workloads

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// readSeries returns a curve of speeds over time, with anchor readings after some windows.
func readSeries(speeds, drifts []float64) *Curve {
	c := &Curve{Axis: Axis{Name: "elapsed", Unit: "s"}, Unit: "FLOP/s", Subject: Subject{Name: "A product"}, Of: Throughput}
	for i, speed := range speeds {
		r := Result{ID: fmt.Sprint("1.", i+1), Status: OK, Settings: []Setting{{Name: "elapsed", Value: 5.0 * float64(i)}}}
		r.Values.Set(Throughput, stats.Exact(speed))
		if !math.IsNaN(drifts[i]) {
			r.Values.SetNumber(AnchorDrift, drifts[i])
		}
		c.Results = append(c.Results, r)
	}
	return c
}

func TestAnchorOfASeries(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		speeds, drifts []float64
		want           string
	}{
		{[]float64{100, 99, 80, 70}, []float64{0, none, 0.15, 0.3}, "throttled. From 10.0 s on the anchor, a fixed kernel, was up to 30.0 % slower than at the start, beyond the limit in 2 of 3 readings; the work was then 30.0 % below its speed in the first window."},
		{[]float64{100, 100}, []float64{0, 0.2}, "in 1 of 2 readings; the work kept its speed."},
		{[]float64{100, 90}, []float64{0, 0.06}, "was up to 6.00 % slower than at the start (2 readings), within its limit of 10.0 %; the work was then 10.0 % below"},
		{[]float64{100, 60}, []float64{none, -0.01}, "not throttled. The anchor, a fixed kernel, stayed within 3.00 % of its time at the start (1 reading)."},
	} {
		found := readSeries(c.speeds, c.drifts).Anchored()
		if len(found) != 1 {
			t.Fatalf("%d findings", len(found))
		}
		if got := found[0].Sentence(); !strings.HasPrefix(got, "A product: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	busy := readSeries([]float64{100, 50, 50}, []float64{0, 0.5, 0.4})
	busy.Results[1].Warn(WarningKind(measure.Disturbed), "a noisy neighbor")
	if got := busy.Anchored()[0].Sentence(); !strings.HasPrefix(got, "A product: throttled.") {
		t.Errorf("slow in a quiet window, too: %s", got)
	}
	busy.Results[2].Warn(WarningKind(measure.Disturbed), "a noisy neighbor")
	if got := busy.Anchored()[0].Sentence(); !strings.HasPrefix(got, "A product: slower while other programs were busy, which need not be throttling. From 5.00 s on") {
		t.Errorf("slow in busy windows only: %s", got)
	}
	if found := readSeries([]float64{1, 2}, []float64{none, none}).Anchored(); len(found) != 0 {
		t.Errorf("a series without an anchor concludes %+v", found)
	}
}
