package bundle

import (
	"math"
	"testing"

	"assay/app/internal/runstest"
	"assay/internal/stats"
	"assay/workloads"
)

// plainMeta0 is a run of runstest.Workload.
func plainMeta0() Meta {
	return Meta{
		ID: "20261120-214501-sweep-3f2a", Version: "1.2", Started: runstest.Began(), Seed: 7, Precision: 0.01, Budget: 4, MinSample: 10,
		Engine: runstest.Engine(), Host: runstest.Host(), Jobs: []Job{{Workload: "sweep", Params: runstest.Params()}},
	}
}

// writeBundle writes a run of every kind of content.
func writeBundle(t *testing.T, root string) *Bundle {
	t.Helper()
	b, err := Create(root, plainMeta0(), []workloads.Workload{runstest.Workload()})
	runstest.Check(t, err)
	runstest.Check(t, b.Results(runstest.Verified(64, 12)))
	runstest.Check(t, b.Results(runstest.Failed(), runstest.Compared()))
	runstest.Check(t, b.Finding(workloads.Finding{
		Workload: "sweep", Kind: "knee", Result: workloads.ResultID(0, 0), Case: "size 64", Variant: "f32", Text: "It bends.",
		Facts: workloads.Facts{
			Axis: workloads.Axis{Name: "size"}, Place: workloads.Place{At: 64, Lo: 32, Hi: math.NaN()},
			Value: stats.Interval{Median: 2e9, Lo: math.Inf(-1), Hi: math.Inf(1)}, Unit: "FLOP/s", Evidence: []string{"0-0", "0-1"},
			Extend:  workloads.Extension{Param: "max_size", To: 256},
			Subject: workloads.Subject{Name: "Size", Baseline: "f16"}, Metric: workloads.Throughput, Limit: 0.9,
			Best:  workloads.Extreme{At: 128, Value: stats.Interval{Median: 3e9, Lo: 2.9e9, Hi: 3.1e9}},
			Holds: workloads.Span{From: 32, To: 128, Count: 2, Of: 3},
		},
	}))
	runstest.Check(t, b.Snapshot(runstest.Snapshot()))
	runstest.Check(t, b.Event(Event{Time: runstest.Began(), Kind: LeakFound, ID: "leak-1", Severity: "critical", Title: "Leak", Text: "4 kB\nat x.go:1"}))
	return b
}
