package uitest

import (
	"fmt"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/workloads"
	"assay/workloads/measure"
)

// States are the states that Play knows.
func States() []string { return []string{"empty", "running", "finished", "failed"} }

// Play brings a desk to a state: two minutes of the monitor, then part of a run, or all of it.
func Play(d *desk.Desk, state string) {
	d.Model.Engines = NewSession().States
	d.Redraw(desk.ChangedEngines)
	Ticks(d, 130)
	results := Sweep()
	switch state {
	case "running":
		d.Take(app.StartUpdate{Meta: SweepMeta()})
		for _, r := range results[:4] {
			d.Take(app.ResultUpdate{Result: r})
		}
		d.Take(app.ProgressUpdate{Progress: workloads.Progress{
			Workload: "batching", Case: "matmul 1024", Done: 4, Total: 14, Measure: measure.Progress{Phase: measure.Sampling, Variant: "f32"},
		}, Fraction: 0.31, Left: 12.4})
	case "finished":
		Finish(d, results, nil)
	case "failed":
		broken := results[9]
		broken.Status = workloads.Failed
		broken.Failure = workloads.Failure{Kind: workloads.WrongOutput, Text: "element 17 is 3.5, want 3.25 within 1e-4"}
		broken.Values = nil
		broken.Samples = nil
		Finish(d, append(results[:9:9], broken), fmt.Errorf("batching: submit matmul: %w: a command buffer hung for 10 s", gpu.ErrDeviceLost))
	}
}

// Ticks delivers n seconds of the monitor.
func Ticks(d *desk.Desk, n int) {
	for i := range n {
		d.Take(app.TickUpdate{Snapshot: Snapshot(i)})
	}
}

// Finish plays a whole run of batching; err, unless nil, ends it early.
func Finish(d *desk.Desk, results []workloads.Result, err error) {
	d.Take(app.StartUpdate{Meta: SweepMeta()})
	run := FinishedRun(results)
	if err != nil {
		f := workloads.FailureOf(err)
		run.Meta.Error, run.Meta.Failure = f.Text, f.Kind
		d.Take(app.ProgressUpdate{Fraction: 0.66})
		d.Take(app.AlertUpdate{Alert: monitor.Alert{
			ID: "memory.full", Severity: severity.Warning, Title: "Memory almost full",
			Cause: "93.1 % of memory is in use; swapping may start (limit 90 %)", Raised: Epoch.Add(5 * time.Second),
		}})
	}
	d.Take(app.EndUpdate{Run: run, Err: err})
}

// FinishedRun returns a run of batching with a finding, which marks the result at the knee if it is among them.
func FinishedRun(results []workloads.Result) *bundle.Run {
	meta := SweepMeta()
	meta.Finished = Epoch.Add(13 * time.Second)
	finding := kneeFinding()
	run := &bundle.Run{Meta: meta, Results: results, Findings: []workloads.Finding{finding}, Dir: "/home/ada/.local/share/assay/runs/20261120-120000-batching"}
	finding.Mark(run.Results)
	return run
}
