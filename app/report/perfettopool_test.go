package report

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/workloads"
)

func TestPerfettoHasThePool(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	at := runstest.Began()
	row := func(op bundle.PoolOp, size, count int64) bundle.PoolRow {
		at = at.Add(time.Millisecond)
		return bundle.PoolRow{Time: at, Until: at, Op: op, Size: size, Count: count, Label: "weights", Case: "size 64"}
	}
	runstest.Check(t, b.PoolLog(
		row(bundle.PoolAllocated, 4096, 1), row(bundle.PoolAcquired, 4096, 1), row(bundle.PoolAllocated, 64, 3),
		row(bundle.PoolFreed, 4096, 1), row(bundle.PoolFreed, 0, 2), row(bundle.PoolAllocated, 64, 1),
	))
	runstest.Check(t, b.Finish(bundle.Finished, nil))
	r, err := bundle.Load(b.Dir())
	runstest.Check(t, err)
	var out bytes.Buffer
	runstest.Check(t, WritePerfetto(&out, r, []workloads.Workload{runstest.Workload()}))
	trace := readTrace(t, out.Bytes())
	names := trace.instants["Buffer pool"]
	want := []string{"allocated weights", "acquired weights", "allocated, 3 times", "freed weights", "freed, 2 times", "allocated weights"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if got, want := trace.values["Pool: allocated, logged"], []float64{4096, 4288, 192}; !slices.Equal(got, want) { // nothing after a sum of several sizes
		t.Errorf("allocated: got %v, want %v", got, want)
	}
	if got := trace.values["Pool: leased, logged"]; !slices.Equal(got, []float64{4096}) {
		t.Errorf("leased: got %v", got)
	}
}
