package workloads_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
)

// growing returns results that hold 10 MB, and 3 MB more per request.
func growing(requests ...int) []workloads.Result {
	var all []workloads.Result
	for i, n := range requests {
		r := workloads.Result{ID: fmt.Sprint(i), Status: workloads.OK, Settings: []workloads.Setting{{Name: "requests", Value: n}}}
		r.Values.SetNumber(workloads.HeldBytes, 10e6+3e6*float64(n))
		all = append(all, r)
	}
	return all
}

func TestGrowth(t *testing.T) {
	c := workloads.Curve{
		Subject: workloads.Subject{Name: "A model", Way: "memory grows by", Where: "a request"}, Axis: workloads.Axis{Name: "requests", Unit: "requests"},
		Unit: "B", Of: workloads.HeldBytes, Results: growing(1, 2, 8),
	}
	found := c.Growth()
	if len(found) != 1 {
		t.Fatalf("findings %+v", found)
	}
	const want = "A model: memory grows by 3.00 MB a request, on top of 10.0 MB, from 1 to 8 requests (R² 1.0000)."
	if got := found[0].Sentence(); got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
	if f := found[0]; f.Result != "2" || strings.Join(f.Facts.Evidence, " ") != "2 0 1" {
		t.Errorf("it points at %s, evidence %v", f.Result, f.Facts.Evidence)
	}
	c.Results = growing(1, 2)
	if found := c.Growth(); found != nil {
		t.Errorf("two results have the finding %+v", found)
	}
	c.Results = append(growing(1, 2), workloads.Result{Settings: []workloads.Setting{{Name: "requests", Value: 4}}})
	if found := c.Growth(); found != nil {
		t.Errorf("a result without the amount has the finding %+v", found)
	}
}

func TestScaling(t *testing.T) {
	one, many, failed := workloads.Result{Status: workloads.OK}, workloads.Result{Status: workloads.OK}, workloads.Result{Status: workloads.Failed}
	one.Values.Set(workloads.Time, stats.Interval{Median: 8, Lo: 6, Hi: 9})
	many.Values.Set(workloads.Time, stats.Interval{Median: 16, Lo: 12, Hi: 18})
	if got := workloads.Scaling(&one, &one); got != stats.Exact(1) {
		t.Errorf("the first reaches %+v of itself", got)
	}
	if got, want := workloads.Scaling(&one, &many), (stats.Interval{Median: 0.5, Lo: 6.0 / 18, Hi: 9.0 / 12}); got != want {
		t.Errorf("twice the time reaches %+v, want %+v", got, want)
	}
	many.Values.Set(workloads.Time, stats.Unbounded(16))
	if got := workloads.Scaling(&one, &many); got.Median != 0.5 || got.Bounded() {
		t.Errorf("a time without an interval reaches %+v", got)
	}
	if got := workloads.Scaling(&one, &failed); !math.IsNaN(got.Median) {
		t.Errorf("a failed result reaches %+v", got)
	}
}
