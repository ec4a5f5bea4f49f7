package gpu_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// logText is a log in short: "acquired 1/2 4032 of 4000".
func logText(entries []gpu.PoolEntry) string {
	names := []string{"allocated", "freed", "acquired", "released"}
	var lines []string
	for _, e := range entries {
		line := fmt.Sprintf("%s %d/%d %d", names[e.Op], e.Buffer, e.Lease, e.Size)
		if e.Requested != 0 {
			line += fmt.Sprintf(" of %d", e.Requested)
		}
		if e.Count != 1 {
			line += fmt.Sprintf(" × %d", e.Count)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestPoolLogsBuffers(t *testing.T) {
	p, _ := scriptedPool(t, gputest.Script{}, gpu.PoolOptions{Capacity: 1, Log: gpu.LogBuffers})
	p.Own("case 1")
	a, b := acquire(t, p, 4096), acquire(t, p, 4096)
	release(t, a, b)
	release(t, acquire(t, p, 4096)) // from the cache
	log := p.TakeLog()
	want := "allocated 1/0 4096 of 4096\nallocated 2/0 4096 of 4096\nfreed 1/0 4096"
	if got := logText(log); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i, e := range log {
		if e.Owner != "case 1" || e.First != e.Last || i > 0 && e.First.Before(log[i-1].First) {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	if more := p.TakeLog(); more != nil {
		t.Errorf("the log was taken twice: %v", more)
	}
}

func TestPoolLogsLeases(t *testing.T) {
	p, _ := scriptedPool(t, gputest.Script{}, gpu.PoolOptions{Log: gpu.LogBuffers})
	p.SetLog(gpu.LogLeases)
	l := acquire(t, p, 4000)
	release(t, l)
	_, err := p.Clear()
	if err != nil {
		t.Fatal(err)
	}
	want := "allocated 1/0 4032 of 4000\nacquired 1/1 4032 of 4000\nreleased 1/1 4032 of 4000\nfreed 1/0 4032"
	if got := logText(p.TakeLog()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.SetLog(gpu.LogNothing)
	release(t, acquire(t, p, 4000))
	if got := p.TakeLog(); got != nil {
		t.Errorf("nothing is to be logged, got %v", got)
	}
}

// Nothing is missing from the sums, however much happens before the log is taken.
func TestPoolLogIsBounded(t *testing.T) {
	p, _ := scriptedPool(t, gputest.Script{}, gpu.PoolOptions{Policy: gpu.PolicyExact, Log: gpu.LogLeases})
	const turns, sizes = 10_000, 200
	for i := range turns {
		release(t, acquire(t, p, 16*(1+i%sizes)))
	}
	log := p.TakeLog()
	counts := map[gpu.PoolOp]int64{}
	for _, e := range log {
		counts[e.Op] += e.Count
	}
	if counts[gpu.LeaseAcquired] != turns || counts[gpu.LeaseReleased] != turns || counts[gpu.BufferAllocated] != sizes {
		t.Errorf("got %v, want %d leases and %d buffers", counts, turns, sizes)
	}
	if len(log) > 4096+64+4 {
		t.Errorf("the log has %d entries", len(log))
	}
}
