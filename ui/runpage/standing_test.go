package runpage

import (
	"strings"
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/stats"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// A point of live tuning that contradicts a finding takes its place, in words and in the chart, until it is cleared.
func TestTunedPointsContradictFindings(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	defaults := p.desk.Model.Workload().Defaults(false)
	run := uitest.FinishedRun([]workloads.Result{uitest.SweepResult("mlp", "batch", 64, 45), uitest.SweepResult("mlp", "batch", 128, 47.4)})
	run.Meta.Jobs = []bundle.Job{{Workload: "batching", Params: defaults}}
	at, best := &run.Results[0], &run.Results[1]
	knee := workloads.Finding{
		Workload: "batching", Kind: workloads.KindKnee, Result: at.ID, Case: at.Case, Variant: at.Variant,
		Facts: workloads.Facts{
			Subject: workloads.Subject{Name: "The MLP in f32"}, Axis: p.desk.Model.Workload().Axis("batch"), Metric: workloads.Throughput,
			Unit: "FLOP/s", Place: workloads.Place{At: 64, Lo: 64, Hi: 64}, Limit: 0.9, Evidence: []string{at.ID, best.ID},
			Best: workloads.Extreme{At: 128, Value: best.Get(workloads.Throughput)},
		},
	}
	knee.Text = knee.Sentence()
	run.Findings = []workloads.Finding{knee}
	at.Marks = nil
	knee.Mark(run.Results)
	p.desk.Take(app.StartUpdate{Meta: run.Meta})
	p.desk.Take(app.EndUpdate{Run: run})
	marks := func() int {
		n := 0
		for _, plot := range p.chart.plots {
			n += len(plot.Model.Marks)
		}
		return n
	}
	told := func() string { return p.findings.lines[0].words }
	tune := func(n int, gflops float64) {
		p.desk.Take(app.TuneUpdate{
			Point:   uitest.Tuned("batching", "max_batch", defaults, uitest.SweepResult("mlp", "batch", n, gflops)),
			Request: app.TuneRequest{Workload: "batching"},
		})
	}
	marked := marks()
	if !strings.HasPrefix(told(), "Knee: ") || marked == 0 {
		t.Fatalf("told %q, %d marks", told(), marked)
	}
	tune(256, 47)
	if !strings.HasPrefix(told(), "Knee: ") || marks() != marked || p.findings.extend.Visible() {
		t.Errorf("a point that agrees: told %q", told())
	}
	tune(512, 62.4)
	if got := told(); !strings.HasPrefix(got, "No longer holds: The MLP in f32: a batch of 512 measured 62.4 (") || !strings.HasSuffix(got, "Extend the sweep to 512.") {
		t.Errorf("told %q", got)
	}
	if marks() >= marked || !p.findings.extend.Visible() || p.findings.extend.Text != "Extend to 512" {
		t.Errorf("%d of %d marks, button %q", marks(), marked, p.findings.extend.Text)
	}
	if run.Findings[0].Kind != workloads.KindKnee || !run.Results[0].Marked(workloads.KindKnee) {
		t.Error("the run itself has changed")
	}
	p.desk.ClearTuning()
	if !strings.HasPrefix(told(), "Knee: ") || marks() != marked {
		t.Errorf("without the point: told %q", told())
	}
	other := uitest.SweepResult("mlp", "batch", 512, 62.4)
	other.Values.Set(workloads.Time, stats.Interval{Median: other.Time().Median})
	workloads.Metrics().Derive(&other.Values)
	p.desk.Take(app.TuneUpdate{Point: uitest.Tuned("batching", "max_batch", defaults, other), Request: app.TuneRequest{Workload: "batching"}})
	if !strings.HasPrefix(told(), "Knee: ") {
		t.Errorf("a point without an interval: told %q", told())
	}
}

// The throughput chart can show items per second, or the time with its limit.
func TestChartsShowOtherQuantities(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	if p.chart.by.Visible() {
		t.Error("without a chart there is nothing to choose")
	}
	run := uitest.FinishedRun(uitest.Sweep())
	run.Meta.Jobs = []bundle.Job{{Workload: "batching", Params: p.desk.Model.Workload().Defaults(false).With(workloads.Values{"max_latency": 5.0})}}
	p.desk.Take(app.StartUpdate{Meta: run.Meta})
	p.desk.Take(app.EndUpdate{Run: run})
	title := p.chart.plots[0].Model.Y.Title
	p.chart.by.SetSelected("Y: Time")
	m := p.chart.plots[0].Model
	if !p.chart.by.Visible() || m.Y.Title == title || len(m.Rules) != 1 || m.Rules[0].Y != 0.005 || m.Series[0].Y[0] != run.Results[0].Time().Median {
		t.Errorf("shows %q with %+v", m.Y.Title, m.Rules)
	}
	chooseNamed(t, p, "fusion")
	if p.chart.by.Visible() {
		t.Error("fusion has one quantity")
	}
	chooseNamed(t, p, "batching")
	if got := p.chart.plots[0].Model.Y.Title; got != title || p.chart.by.Selected != "Y: Throughput" {
		t.Errorf("shows %q, chosen %q", got, p.chart.by.Selected)
	}
}
