package resultspage

import (
	"testing"

	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// A filter removes series; the others keep their color and shape.
func TestFilteredSeriesKeepTheirPlace(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := runNamed("20261120-120000-fusion", 1)
	run.Results = uitest.FusionResults()
	s.Desk.ShowRun(run)
	place := func() int {
		for _, d := range s.chart.drawn {
			for i := range d.plot.Model.Series {
				if k := &d.plot.Model.Series[i]; d.plot.View.Title != "" && k.Name == "fused" {
					return max(k.Place, i+1)
				}
			}
		}
		return 0
	}
	before := place()
	s.filter.filter.Variant = "fused"
	s.refilter()
	if after := place(); before < 2 || after != before {
		t.Errorf("with all rows the place of the fused bars is %d, filtered %d", before, after)
	}
}

// The chart says why it is empty, and nothing false.
func TestWhyNothingIsDrawn(t *testing.T) {
	failed := workloads.Result{Workload: "batching", Status: workloads.Failed}
	ok := workloads.Result{Workload: "leak", Status: workloads.OK}
	for _, c := range []struct {
		all, picked []workloads.Result
		want        string
	}{
		{nil, nil, "No results to draw"},
		{[]workloads.Result{ok}, nil, "Nothing matches the filter"},
		{[]workloads.Result{failed, ok}, []workloads.Result{failed}, "No verified results to draw; the table says why"},
		{[]workloads.Result{ok}, []workloads.Result{ok}, "No chart for these results; see the table"},
	} {
		if got := lackOf(&bundle.Run{Results: c.all}, c.picked); got != c.want {
			t.Errorf("says %q, want %q", got, c.want)
		}
	}
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	s.filter.Inputs[0].Entry.SetText("no such word")
	if s.chart.lacks != "Nothing matches the filter" || len(s.chart.drawn) != 0 {
		t.Errorf("with a filter that matches nothing the chart says %q", s.chart.lacks)
	}
}
