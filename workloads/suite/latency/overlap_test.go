package latency

import (
	"math"
	"strings"
	"testing"

	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// On the CPU engine, whose queues run concurrently, each order of a pipeline, and jobs in queues, produce what the reference does.
func TestOverlap(t *testing.T) {
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := benchtest.On(t, e)
	set := workloads.Values{"min_chunks": 1, "max_chunks": 5, "chunk": 3, "passes": 2, "max_jobs": 4, "job": "memory"}
	if err := b.Run(t.Context(), t, Overlap(), set); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Status == workloads.Unsupported && r.Variant == "concurrent encoder" && strings.Contains(r.Failure.Text, "each dispatch uses all cores") {
			missing++
			continue
		}
		if r.Status != workloads.OK || !(r.Number(workloads.Compared) > 0) {
			t.Errorf("%s %s: %s %s", r.Case, r.Variant, r.Status, r.Failure.Text)
		}
	}
	if missing != 1 {
		t.Errorf("%d rows say that there is no concurrent encoder", missing)
	}
}

// Shares are computed from times: half of what could be hidden, and jobs that take as long as a single one.
func TestOverlapIsRelated(t *testing.T) {
	timed := func(variant, baseline string, seconds float64) workloads.Result {
		r := benchtest.Timed("case", variant, seconds)
		r.Baseline = baseline
		return r
	}
	pipeline := []workloads.Result{
		timed("serial", "", 10), timed("double-buffered", "serial", 8), timed("prefetch", "serial", 10), timed("compute alone", "", 6),
		timed("uploads alone", "", 4), timed("readbacks alone", "", 5),
	}
	relatePipeline(pipeline, 8, 100)
	if half, none := pipeline[1].Number(overlapShare), pipeline[2].Number(overlapShare); half != 0.5 || none != 0 || !math.IsNaN(pipeline[3].Number(overlapShare)) {
		t.Errorf("shares %g and %g, want 0.5 and 0", half, none)
	}
	pipeline[4].Values.SetNumber(workloads.Time, 9) // two of 6 dispatches in total, which verify the copies
	relatePipeline(pipeline, 2, 1)
	if half := pipeline[1].Number(overlapShare); half != 0.5 {
		t.Errorf("share %g where copies alone compute, want 0.5", half)
	}
	pipeline[1].Values.SetNumber(workloads.Time, 5.9) // by scatter less than compute alone
	relatePipeline(pipeline, 8, 100)
	if whole := pipeline[1].Number(overlapShare); whole != 1 {
		t.Errorf("share %g of a pipeline as short as its longest part, want 1", whole)
	}
	pipeline[5].Status = workloads.Failed
	pipeline[1].Values.SetNumber(overlapShare, math.NaN())
	relatePipeline(pipeline, 8, 100)
	if share := pipeline[1].Number(overlapShare); !math.IsNaN(share) {
		t.Errorf("share %g without the time of readbacks", share)
	}
	jobs := []workloads.Result{timed("one queue", "", 8), timed("a queue each", "one queue", 2), timed("concurrent encoder", "one queue", 8)}
	relateJobs(jobs, 4)
	if whole := jobs[1].Number(overlapShare); whole != 1 || jobs[1].Number(efficiency) != 1 || jobs[2].Number(overlapShare) != 0 || jobs[2].Number(efficiency) != 0.25 {
		t.Errorf("a queue each: %g of the overlap, efficiency %g; in one: %g and %g", whole, jobs[1].Number(efficiency), jobs[2].Number(overlapShare), jobs[2].Number(efficiency))
	}
}

func TestOverlapFindings(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Overlap(), workloads.Values{"min_chunks": 4, "max_chunks": 4, "chunk": 1, "max_jobs": 2}); err != nil {
		t.Fatal(err)
	}
	says(t, b, "A pipeline at 4 chunks, against one after the other, ", "double buffering: ", "prefetch of the next chunk: ",
		"Independent jobs at 2 jobs, against one queue, ", "a queue each: ", "a concurrent encoder: ", " of the possible overlap")
}
