package resultspage

import (
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/suite"
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

// quantizationRun is a finished run of the workload quantization.
func quantizationRun(t *testing.T) *bundle.Run {
	t.Helper()
	run := runNamed("20261120-130000-quantization", 1)
	run.Results = uitest.QuantizationResults()
	w, err := workloads.Find(suite.All(), "quantization")
	if err != nil {
		t.Fatal(err)
	}
	run.Meta.Jobs = []bundle.Job{{Workload: w.Name, Params: w.Defaults(false)}}
	return run
}

// The axes of charts can be chosen, which lasts while rows are filtered.
func TestAxesCanBeChosen(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Desk.ShowRun(quantizationRun(t))
	c := s.chart
	if !c.over.Visible() || !c.by.Visible() || c.over.Selected != "X: Signal to noise" || c.by.Selected != "Y: Speedup over f32" {
		t.Fatalf("offered %q of %q, %q of %q", c.over.Selected, c.over.Options, c.by.Selected, c.by.Options)
	}
	c.over.SetSelected("X: Size")
	c.by.SetSelected("Y: Time")
	s.filter.filter.Variant = "int4 tensor"
	s.refilter()
	if m := c.drawn[c.at].plot.Model; m.X.Title != "Size" || m.Y.Title != "Time" || len(m.Rules) != 0 {
		t.Errorf("drawn by %q and %q with %d rules", m.X.Title, m.Y.Title, len(m.Rules))
	}
	s.Desk.ShowRun(runNamed("20261120-120000-batching", 1))
	if c.over.Visible() {
		t.Errorf("X of %s can be chosen among %q", c.drawn[c.at].workload.Name, c.over.Options)
	}
}

// A slider moves the limit by which formats are chosen, and the chart's marks follow; the run stays as it was.
func TestTheLimitMoves(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := quantizationRun(t)
	s.Desk.ShowRun(run)
	b := s.chart.limits["quantization"]
	if b == nil || len(b.rows.Objects) != len(b.menu.Options) || !b.rows.Objects[0].Visible() || b.rows.Objects[2].Visible() {
		t.Fatal("no menu of sliders")
	}
	smallest := func() string {
		for _, r := range b.judged(run, run.Results) {
			if r.Marked(workloads.KindSmallest) {
				return r.Variant
			}
		}
		return ""
	}
	loose := b.number(b.workload.Decisive()[0])
	before := smallest()
	b.sliders["target_snr"].SetValue(60)
	if after := smallest(); before == "" || after == before || loose != 20 {
		t.Errorf("the smallest format is %q at %v dB, %q at %v dB", before, loose, after, b.now["target_snr"])
	}
	if s.chart.drawn[0].plot.Model == nil || !strings.Contains(b.words.Content, "f16 is the smallest measured format") {
		t.Errorf("says %q", b.words.Content)
	}
	s.filter.filter.Variant = "int4 tensor" // what is drawn does not affect the conclusions
	s.refilter()
	if !strings.Contains(b.words.Content, "f16 is the smallest measured format") {
		t.Errorf("of some rows it says %q", b.words.Content)
	}
	b.sliders["target_snr"].SetValue(20)
	if b.words.Content != "" || len(b.changes()) != 0 {
		t.Errorf("back at the run’s limit it says %q", b.words.Content)
	}
	b.menu.SetSelected("Size limit")
	b.sliders["max_bits"].SetValue(12)
	if !b.rows.Objects[2].Visible() || b.rows.Objects[0].Visible() || !strings.Contains(b.words.Content, "within 12 bits per weight") {
		t.Errorf("within a size it says %q", b.words.Content)
	}
	for i := range run.Results {
		if was := uitest.QuantizationResults()[i].MarkText(); run.Results[i].MarkText() != was {
			t.Errorf("%s: the run’s marks are %q, were %q", run.Results[i].Variant, run.Results[i].MarkText(), was)
		}
	}
}
