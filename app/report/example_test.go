package report

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/monitor"
	"assay/workloads"
)

// The example of the README opens complete, and replays the readings of the GPU that it ran on.
func TestExampleOpens(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "examples", "soak-h200.assayrun")
	run, err := bundle.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Notes) > 0 || len(run.Results) != 10 || run.Meta.State != bundle.Finished {
		t.Errorf("%d results, %s, %v", len(run.Results), run.Meta.State, run.Notes)
	}
	for i := range run.Results {
		if r := &run.Results[i]; r.Status != workloads.OK {
			t.Errorf("%s: %s", r.Case, r.Status)
		}
	}
	if host := run.Meta.Host; strings.ContainsAny(host.Kernel, "-+") {
		t.Errorf("it names the machine: kernel %s", host.Kernel)
	}
	replay, err := LoadReplay(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	highest := map[string]float64{}
	for _, s := range replay.Run.Snapshots {
		for _, r := range s.Readings {
			if r.Status == monitor.OK {
				highest[r.Metric] = max(highest[r.Metric], r.Value)
			}
		}
	}
	if c, w, hz := highest["host.temperature.gpu"], highest["host.power.gpu"], highest["gpu.clock"]; c < 50 || w < 500 || hz < 1.9e9 {
		t.Errorf("highest: %g °C, %g W, %g Hz", c, w, hz)
	}
}
