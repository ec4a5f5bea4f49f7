package app

import (
	"context"
	"math"
	"os"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

// Peaks of a run are kept, also for later sessions, and results on the same device are related to them.
func TestPeaksAreKeptAndResultsPlaced(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	few := map[string]any{"elements": 64, "size": 8, "min_set": 4, "max_set": 8}
	before, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job(t, s, workloads.PeaksName, few), small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	p, ok := s.Peaks(run.Meta.Engine)
	if !ok || p.Run != run.Meta.ID || len(p.Compute) == 0 || len(p.Bandwidth) != 2 {
		t.Fatalf("peaks %+v, %v", p, ok)
	}
	if _, ok := s.Peaks(gpu.Info{Engine: "another"}); ok {
		t.Error("another device has these peaks")
	}
	other := keptPeaks{}
	other.load(s.peaksPath())
	if i := other.find(run.Meta.Engine); i < 0 || other.list[i].Run != p.Run || len(other.list[i].Compute) != len(p.Compute) {
		t.Errorf("on disk: %+v", other.list)
	}
	if err := os.WriteFile(s.peaksPath(), []byte(`[{"engine": "ano`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.keepPeaks(run); err != nil {
		t.Fatal(err)
	}
	if aside, err := os.ReadFile(s.peaksPath() + ".damaged"); err != nil || len(aside) != 16 {
		t.Errorf("a damaged file was not kept aside: %q, %v", aside, err)
	}
	for _, r := range before.Results {
		if !math.IsNaN(r.Number(workloads.OfBandwidth)) {
			t.Errorf("%s is placed before there are peaks", r.Case)
		}
	}
	placed := 0
	for _, r := range run.Results {
		if share := r.Number(workloads.OfBandwidth); r.Workload == workloads.PeaksName && !math.IsNaN(share) {
			t.Errorf("%s is placed between peaks", r.Case)
		} else if share > 0 && r.Values.Text(workloads.BoundBy) != "" {
			placed++
		}
	}
	if placed != len(before.Results) {
		t.Errorf("%d results placed, want %d", placed, len(before.Results))
	}
}
