package gpu_test

import (
	"context"
	"errors"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// freed is the bytes that a call freed; -1 if the engine could not release them.
func freed(f gpu.Freed, err error) int64 {
	if err != nil {
		return -1
	}
	return f.Bytes
}

func prewarm(p *gpu.Pool, bytes, n int) error {
	_, err := p.Prewarm(context.Background(), bytes, n)
	return err
}

func TestPrewarmSaysHowManyItMade(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact})
	for _, c := range []struct{ want, made int }{{3, 3}, {5, 2}, {4, 0}} {
		if made, err := p.Prewarm(context.Background(), 100, c.want); made != c.made || err != nil {
			t.Errorf("Prewarm of %d made %d (%v), want %d", c.want, made, err, c.made)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if made, err := p.Prewarm(ctx, 100, 8); made != 0 || !errors.Is(err, context.Canceled) || e.Allocations() != 5 {
		t.Errorf("a canceled Prewarm made %d (%v); the engine was asked %d times", made, err, e.Allocations())
	}
}

func TestPrewarmedBuffersAreNotStranded(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, StrandedAfter: 3})
	release(t, acquire(t, p, 700))
	for range 3 {
		release(t, acquire(t, p, 100))
	}
	if s := p.Stats(); s.StrandedBytes != 700 {
		t.Fatalf("%d B stranded, want 700", s.StrandedBytes)
	}
	if err := prewarm(p, 700, 2); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.StrandedBytes != 0 || s.CachedBytes != 1500 {
		t.Errorf("after prewarming: %+v", s)
	}
}

func TestPrewarmSaysHowManyItMadeBeforeAnError(t *testing.T) {
	p, _ := scriptedPool(t, gputest.Script{MemoryLimit: 250}, gpu.PoolOptions{Policy: gpu.PolicyExact})
	made, err := p.Prewarm(context.Background(), 100, 3)
	wantError(t, err, gpu.ErrOutOfMemory)
	if made != 2 {
		t.Errorf("made %d, want 2", made)
	}
}

func TestClearCountsBuffersAndTellsOfErrors(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact})
	a, b := acquire(t, p, 400), acquire(t, p, 300)
	inner, err := a.Unwrap()
	if err != nil {
		t.Fatal(err)
	}
	release(t, a, b)
	if err := inner.Release(); err != nil { // behind the pool's back
		t.Fatal(err)
	}
	f, err := p.Clear()
	wantError(t, err, gpu.ErrReleased)
	if f != (gpu.Freed{Buffers: 2, Bytes: 700}) || p.Stats().CachedBytes != 0 {
		t.Errorf("freed %+v, then %+v; want 2 buffers, 700 B, and none cached", f, p.Stats())
	}
}

func TestResetStatsKeepsTheBuffers(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, StrandedAfter: 2})
	release(t, acquire(t, p, 100), acquire(t, p, 100))
	for range 3 {
		release(t, acquire(t, p, 700))
	}
	if f := freed(p.ClearSize(700)); f != 700 {
		t.Fatalf("freed %d B", f)
	}
	live := acquire(t, p, 50)
	p.ResetStats()
	want := gpu.Stats{
		Live: 1, LiveBytes: 50, LiveRequested: 50, Cached: 2, CachedBytes: 200, HighWater: 250, Classes: 2, Capacity: 10,
		Policy: gpu.PolicyExact,
	}
	if s := p.Stats(); s != want {
		t.Errorf("after a reset %+v, want %+v", s, want)
	}
	if rows := p.Classes(); len(rows) != 2 || rows[0].Size != 50 || rows[1].Size != 100 || rows[1].Acquires != 0 {
		t.Errorf("classes after a reset: %+v, want 50 and 100 B, not 700", rows)
	}
	again := acquire(t, p, 100)
	if rate, ok := p.Stats().ReuseRate(); !ok || rate != 1 {
		t.Errorf("reuse rate %g, %v; what was cached before serves the first acquire", rate, ok)
	}
	release(t, live, again)
}

func TestSnapshotAgreesWithItself(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyPow2, Mode: gpu.ModePoison})
	var leases []gpu.Lease
	for n := 1; n <= 6; n++ {
		leases = append(leases, acquire(t, p, 90+n))
	}
	release(t, leases[5])
	s := p.Snapshot(3)
	if len(s.Live) != 3 || s.Live[0].Requested != 91 || s.Live[2].Requested != 93 || s.Stats.Live != 5 {
		t.Errorf("live %+v of %d, want the 3 oldest of 5", s.Live, s.Stats.Live)
	}
	want := gpu.ClassStats{Size: 128, Live: 5, Cached: 1, LiveRequested: 91 + 92 + 93 + 94 + 95, Acquires: 6}
	if len(s.Classes) != 1 || s.Classes[0] != want {
		t.Errorf("classes %+v, want %+v", s.Classes, want)
	}
	if s.Stats.Mode != gpu.ModePoison || s.Stats.Mode.String() != "poison" || s.Live[0].Site.File == "" {
		t.Errorf("mode %v, site %v", s.Stats.Mode, s.Live[0].Site)
	}
	release(t, leases[:5]...)
	if s := p.Snapshot(-1); len(s.Live) != 0 || s.Classes[0].LiveRequested != 0 {
		t.Errorf("after release: %+v", s)
	}
}

func BenchmarkPoolSnapshot(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(map[int]string{100: "100 leases", 10_000: "10000 leases"}[n], func(b *testing.B) {
			p := benchPool(b, gpu.PoolOptions{Mode: gpu.ModeDirty})
			var leases []gpu.Lease
			for i := range n {
				leases = append(leases, acquire(b, p, 64+i%500))
			}
			for b.Loop() {
				if s := p.Snapshot(n); len(s.Live) != n {
					b.Fatalf("%d live leases", len(s.Live))
				}
			}
			release(b, leases...)
		})
	}
}
