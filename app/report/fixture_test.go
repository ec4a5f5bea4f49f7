package report

import (
	"testing"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/workloads"
)

// plainMeta0 is a run of runstest.Workload.
func plainMeta0() bundle.Meta {
	return bundle.Meta{
		ID: "20261120-214501-sweep-3f2a", Version: "1.2", Started: runstest.Began(), Seed: 7, Precision: 0.01, Budget: 4, MinSample: 10,
		Engine: runstest.Engine(), Host: runstest.Host(), Jobs: []bundle.Job{{Workload: "sweep", Params: runstest.Params()}},
	}
}

// writeBundle writes a run of every kind of content.
func writeBundle(t *testing.T, root string) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Create(root, plainMeta0(), []workloads.Workload{runstest.Workload()})
	runstest.Check(t, err)
	runstest.Check(t, b.Results(runstest.Verified(64, 12)))
	runstest.Check(t, b.Results(runstest.Failed(), runstest.Compared()))
	runstest.Check(t, b.Finding(workloads.Finding{Workload: "sweep", Kind: "knee", Result: workloads.ResultID(0, 0), Case: "size 64", Variant: "f32", Text: "It bends."}))
	runstest.Check(t, b.Snapshot(runstest.Snapshot()))
	runstest.Check(t, b.Event(bundle.Event{Time: runstest.Began(), Kind: bundle.LeakFound, ID: "leak-1", Severity: "critical", Title: "Leak", Text: "4 kB\nat x.go:1"}))
	return b
}
