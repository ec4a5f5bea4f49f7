package gpu_test

import (
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
)

// sumsOf adds up events by act and cause.
func sumsOf(events []gpu.PoolEvent) map[[2]int][2]int64 {
	sums := map[[2]int][2]int64{}
	for _, e := range events {
		key := [2]int{int(e.Act), int(e.Cause)}
		s := sums[key]
		sums[key] = [2]int64{s[0] + e.Count, s[1] + e.Bytes}
	}
	return sums
}

func TestPoolTellsOfEvictionsAndRefusals(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, Capacity: 1, Budget: 1000})
	began := time.Now()
	a, b := acquire(t, p, 300), acquire(t, p, 300)
	release(t, a, b)               // one too many of its class
	release(t, acquire(t, p, 800)) // no room beside the other
	if _, err := p.Acquire(1001, "too much"); err == nil {
		t.Fatal("the budget refused nothing")
	}
	events := p.TakeEvents()
	want := []gpu.PoolEvent{
		{Act: gpu.PoolRefused, Cause: gpu.ForBudget, Size: 1001, Label: "too much", Count: 1, Bytes: 1001},
		{Act: gpu.PoolEvicted, Cause: gpu.ForCapacity, Size: 300, Count: 1, Bytes: 300},
		{Act: gpu.PoolEvicted, Cause: gpu.ForBudget, Size: 300, Count: 1, Bytes: 300},
	}
	if len(events) != len(want) {
		t.Fatalf("events %+v, want %+v", events, want)
	}
	for i, e := range events {
		if e.First.Before(began.Add(-time.Millisecond)) || e.Last.Before(e.First) || e.Last.After(time.Now()) {
			t.Errorf("event %d lasted from %v to %v", i, e.First, e.Last)
		}
		if e.First, e.Last = (time.Time{}), (time.Time{}); e != want[i] {
			t.Errorf("event %+v, want %+v", e, want[i])
		}
	}
	if again := p.TakeEvents(); again != nil {
		t.Errorf("taken twice: %+v", again)
	}
}

func TestPoolTellsOfADeviceWithoutRoom(t *testing.T) {
	p, _ := scriptedPool(t, gputest.Script{MemoryLimit: 1000}, gpu.PoolOptions{Policy: gpu.PolicyExact})
	release(t, acquire(t, p, 600))
	l := acquire(t, p, 700)
	if _, err := p.Acquire(400, "no room"); err == nil {
		t.Fatal("the device has room")
	}
	sums := sumsOf(p.TakeEvents())
	if evicted := sums[[2]int{int(gpu.PoolEvicted), int(gpu.ForDevice)}]; evicted != [2]int64{1, 600} {
		t.Errorf("evicted for the device: %v", evicted)
	}
	if refused := sums[[2]int{int(gpu.PoolRefused), int(gpu.ForDevice)}]; refused != [2]int64{1, 400} {
		t.Errorf("refused by the device: %v", refused)
	}
	release(t, l)
}

// However many sizes there are, the events are few and their sums complete.
func TestPoolEventsAreBounded(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, Budget: 20_000})
	const sizes = 10_000
	for n := range sizes {
		release(t, acquire(t, p, n+1))
	}
	events, stats := p.TakeEvents(), p.Stats()
	if len(events) > 65 {
		t.Errorf("%d events", len(events))
	}
	evicted := sumsOf(events)[[2]int{int(gpu.PoolEvicted), int(gpu.ForBudget)}]
	if evicted[0] != stats.Evictions || stats.Evictions < sizes/2 {
		t.Errorf("%d evictions in the events, %d in the counters", evicted[0], stats.Evictions)
	}
	if all := int64(sizes) * (sizes + 1) / 2; evicted[1] != all-stats.CachedBytes {
		t.Errorf("%d B in the events, want %d", evicted[1], all-stats.CachedBytes)
	}
	if events[0].Size != 0 {
		t.Errorf("the first event is %+v, want that of several sizes", events[0])
	}
}

//go:noinline
func outer(t *testing.T, p *gpu.Pool) gpu.Lease { return inner(t, p) }

//go:noinline
func inner(t *testing.T, p *gpu.Pool) gpu.Lease {
	l, err := p.Acquire(64, "traced")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLiveLeasesHaveATrace(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	l := outer(t, p)
	live := p.Live()
	if len(live) != 1 || len(live[0].Trace) < 3 || live[0].Trace[0] != live[0].Site {
		t.Fatalf("live %+v", live)
	}
	for i, want := range []string{"assay/gpu_test.inner", "assay/gpu_test.outer", "assay/gpu_test.TestLiveLeasesHaveATrace"} {
		if got := live[0].Trace[i].Func; got != want {
			t.Errorf("call %d is %s, want %s", i, got, want)
		}
	}
	release(t, l)
}
