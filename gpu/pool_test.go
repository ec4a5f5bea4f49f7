package gpu_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

func newPool(t testing.TB, o gpu.PoolOptions) (*gpu.Pool, *gputest.Fake) {
	t.Helper()
	return scriptedPool(t, gputest.Script{}, o)
}

// scriptedPool creates a pool on a fake engine, and at the end checks that every byte is back at the engine.
func scriptedPool(t testing.TB, s gputest.Script, o gpu.PoolOptions) (*gpu.Pool, *gputest.Fake) {
	t.Helper()
	e := gputest.NewFake(s)
	p := gpu.NewPool(e, o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil && !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("close the pool: %v", err)
		}
		if m := e.Memory(); m != (gpu.Memory{}) {
			t.Errorf("the pool is closed, yet the engine holds %+v", m)
		}
		if err := e.Close(); err != nil {
			t.Errorf("close the engine: %v", err)
		}
	})
	return p, e
}

func acquire(t testing.TB, p *gpu.Pool, n int) gpu.Lease {
	t.Helper()
	l, err := p.Acquire(n, "test")
	if err != nil {
		t.Fatalf("Acquire(%d): %v", n, err)
	}
	return l
}

func release(t testing.TB, leases ...gpu.Lease) {
	t.Helper()
	for _, l := range leases {
		if err := l.Release(); err != nil {
			t.Fatalf("Release: %v", err)
		}
	}
}

func wantError(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want kind %q", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not name %q", err, w)
		}
	}
}

func TestPoolReusesTheMostRecent(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{})
	a, b := acquire(t, p, 1000), acquire(t, p, 1000)
	inner, err := gpu.Resolve(b)
	if err != nil {
		t.Fatal(err)
	}
	release(t, a, b)
	c := acquire(t, p, 999) // the same class
	got, err := gpu.Resolve(c)
	if err != nil {
		t.Fatal(err)
	}
	if got != inner {
		t.Error("Acquire did not take the buffer released last")
	}
	if e.Allocations() != 2 {
		t.Errorf("%d allocations, want 2", e.Allocations())
	}
	s := p.Stats()
	if s.Acquires != 3 || s.Reuses != 1 || s.Creates != 2 || s.Frees != 0 {
		t.Errorf("stats %+v, want 3 acquires, 1 reuse, 2 creates, no frees", s)
	}
	if rate, ok := s.ReuseRate(); !ok || math.Abs(rate-1.0/3) > 1e-15 {
		t.Errorf("reuse rate %g, %v, want 1/3", rate, ok)
	}
	release(t, c)
}

func TestPoolFreshStatsAreNotAvailable(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	if _, ok := p.Stats().ReuseRate(); ok {
		t.Error("a reuse rate without an acquire")
	}
	if _, ok := p.Stats().Waste(); ok {
		t.Error("a waste ratio without a lease")
	}
}

func TestLeaseIsABufferOfItsOwnSize(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyPow2})
	l := acquire(t, p, 100)
	if l.Size() != 100 || len(l.Bytes()) != 100 || cap(l.Bytes()) != 100 {
		t.Errorf("size %d, Bytes of %d (cap %d), want 100", l.Size(), len(l.Bytes()), cap(l.Bytes()))
	}
	inner, err := gpu.Resolve(l)
	if err != nil || inner.Size() != 128 {
		t.Errorf("the engine's buffer has %d B (%v), want 128", inner.Size(), err)
	}
	if err := l.Write(10, []byte("ten")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 3)
	if err := l.Read(10, got); err != nil || string(got) != "ten" {
		t.Errorf("read %q, %v", got, err)
	}
	// 28 B of the engine's buffer lie beyond the lease
	wantError(t, l.Write(99, []byte("xy")), gpu.ErrRange, "99", "100")
	wantError(t, l.Read(101, nil), gpu.ErrRange, "101", "100")
	wantError(t, l.Read(-1, got), gpu.ErrRange)
	release(t, l)
}

func TestLeaseIsStaleAfterRelease(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	old := acquire(t, p, 64)
	release(t, old)
	again := acquire(t, p, 64) // the same memory
	for name, err := range map[string]error{
		"Release": old.Release(), "Write": old.Write(0, []byte{1}), "Read": old.Read(0, make([]byte, 1)), "Fill": old.Fill(1),
	} {
		if !errors.Is(err, gpu.ErrReleased) {
			t.Errorf("%s of a stale lease: %v, want ErrReleased", name, err)
		}
	}
	if old.Bytes() != nil {
		t.Error("a stale lease shows memory")
	}
	_, err := gpu.Resolve(old)
	wantError(t, err, gpu.ErrReleased, "64")
	if err := again.Fill(9); err != nil {
		t.Errorf("the new lease of the same memory: %v", err)
	}
	release(t, again)
	var none gpu.Lease
	wantError(t, none.Release(), gpu.ErrReleased)
	wantError(t, none.Fill(0), gpu.ErrReleased)
}

func TestPoolModes(t *testing.T) {
	for _, c := range []struct {
		name         string
		mode         gpu.Mode
		fresh, again byte // what a lease holds when its buffer is new, and when it was left full of 0x11
	}{
		{"zero", gpu.ModeZero, 0, 0},
		{"poison", gpu.ModePoison, gpu.PoisonByte, gpu.PoisonByte},
		{"dirty", gpu.ModeDirty, 0, 0x11}, // the fake engine's memory starts as zeros
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := newPool(t, gpu.PoolOptions{Mode: c.mode})
			l := acquire(t, p, 100)
			if want := bytes.Repeat([]byte{c.fresh}, 100); !bytes.Equal(l.Bytes(), want) {
				t.Errorf("a new buffer holds %x, want %x", l.Bytes()[:4], c.fresh)
			}
			if err := l.Fill(0x11); err != nil {
				t.Fatal(err)
			}
			release(t, l)
			l = acquire(t, p, 100)
			if want := bytes.Repeat([]byte{c.again}, 100); !bytes.Equal(l.Bytes(), want) {
				t.Errorf("a reused buffer holds %x, want %x", l.Bytes()[:4], c.again)
			}
			release(t, l)
		})
	}
}

func TestPoolSetMode(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Mode: gpu.ModeDirty})
	p.SetMode(gpu.ModePoison)
	l := acquire(t, p, 10)
	if l.Bytes()[9] != gpu.PoisonByte {
		t.Errorf("byte %x after SetMode, want poison", l.Bytes()[9])
	}
	release(t, l)
}

func TestPoolCapacity(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Capacity: 2})
	a, b, c := acquire(t, p, 64), acquire(t, p, 64), acquire(t, p, 64)
	oldest, _ := a.Unwrap()
	release(t, a, b, c)
	if s := p.Stats(); s.Cached != 2 || s.Evictions != 1 || e.Memory().Buffers != 2 {
		t.Errorf("%+v, engine %+v: want 2 cached after 1 eviction", s, e.Memory())
	}
	wantError(t, oldest.Fill(0), gpu.ErrReleased) // the oldest went
	p.SetCapacity(1)
	if s := p.Stats(); s.Cached != 1 || s.Capacity != 1 {
		t.Errorf("after SetCapacity(1): %+v", s)
	}
	p.SetCapacity(-5)
	if s := p.Stats(); s.Cached != 0 || s.Capacity != 0 {
		t.Errorf("after SetCapacity(-5): %+v", s)
	}
}

func TestPoolBudgetEvictsTheLeastRecentlyUsed(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, Budget: 1000})
	a, b := acquire(t, p, 400), acquire(t, p, 300)
	first, _ := a.Unwrap()
	release(t, a, b) // cached, the oldest first: 400, 300
	c := acquire(t, p, 500)
	wantError(t, first.Fill(0), gpu.ErrReleased)
	if s := p.Stats(); s.LiveBytes != 500 || s.CachedBytes != 300 || s.Evictions != 1 {
		t.Errorf("%+v, want 500 B live, 300 B cached, 1 eviction", s)
	}
	_, err := p.Acquire(501, "too much")
	wantError(t, err, gpu.ErrOutOfMemory, "too much", "501", "live 500", "cached 300", "budget 1000")
	if s := p.Stats(); s.CachedBytes != 300 {
		t.Errorf("a request that can never fit evicted: %+v", s)
	}
	if m := e.Memory(); m.Bytes != 800 {
		t.Errorf("the engine holds %+v, want 800 B", m)
	}
	p.SetBudget(600)
	if s := p.Stats(); s.CachedBytes != 0 || s.LiveBytes != 500 {
		t.Errorf("after SetBudget(600): %+v", s)
	}
	p.SetBudget(100) // live leases stay, and are not cached afterward
	release(t, c)
	if s := p.Stats(); s.LiveBytes != 0 || s.CachedBytes != 0 || s.HighWater != 800 {
		t.Errorf("after release over budget: %+v, want nothing and a high-water mark of 800 B", s)
	}
}

// TestPoolSurvivesAFailedEviction releases a cached buffer behind the pool's back, so that its eviction fails.
func TestPoolSurvivesAFailedEviction(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, Budget: 1000})
	a := acquire(t, p, 400)
	inner, err := a.Unwrap()
	if err != nil {
		t.Fatal(err)
	}
	release(t, a)
	if err := inner.Release(); err != nil {
		t.Fatal(err)
	}
	b := acquire(t, p, 700) // evicts the 400 B
	c := acquire(t, p, 300) // fills the budget, unless bytes were lost from the ledger
	if s := p.Stats(); s.LiveBytes != 1000 || s.CachedBytes != 0 {
		t.Errorf("%+v, want 1000 B live and none cached", s)
	}
	release(t, b, c)
}

func TestPoolRetriesWhenTheEngineIsFull(t *testing.T) {
	p, e := scriptedPool(t, gputest.Script{MemoryLimit: 1000}, gpu.PoolOptions{Policy: gpu.PolicyExact})
	release(t, acquire(t, p, 600))
	l := acquire(t, p, 700) // only fits without the cached 600 B
	if s := p.Stats(); s.Evictions != 1 || s.CachedBytes != 0 || s.LiveBytes != 700 {
		t.Errorf("%+v, want 1 eviction and 700 B live", s)
	}
	_, err := p.Acquire(400, "no room")
	wantError(t, err, gpu.ErrOutOfMemory, "no room", "400", "live 700", "cached 0", "no budget")
	if s := p.Stats(); s.Acquires != 2 || s.Live != 1 || e.Memory().Bytes != 700 {
		t.Errorf("a failed acquire left its mark: %+v", s)
	}
	release(t, l)
}

func TestPoolPassesOtherErrorsOn(t *testing.T) {
	p, _ := scriptedPool(t, gputest.Script{Allocations: map[int]error{1: gpu.ErrDeviceLost}}, gpu.PoolOptions{})
	_, err := p.Acquire(64, "lost")
	wantError(t, err, gpu.ErrDeviceLost, "lost", "64")
	release(t, acquire(t, p, 64))
}

func TestPoolRefusesImpossibleSizes(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	for _, n := range []int{0, -1, math.MinInt} {
		_, err := p.Acquire(n, "none")
		wantError(t, err, gpu.ErrInvalid, "none")
		wantError(t, prewarm(p, n, 1), gpu.ErrInvalid)
		if freed := freed(p.ClearSize(n)); freed != 0 {
			t.Errorf("ClearSize(%d) freed %d B", n, freed)
		}
	}
	_, err := p.Acquire(math.MaxInt, "all")
	wantError(t, err, gpu.ErrOutOfMemory, "all")
}

func TestPoolShrinkAndClear(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact})
	a, b, c, d := acquire(t, p, 100), acquire(t, p, 200), acquire(t, p, 300), acquire(t, p, 300)
	release(t, a, b, c, d)
	if freed := freed(p.ShrinkToFit(700)); freed != 300 { // 100 and 200 are the oldest
		t.Errorf("ShrinkToFit(700) of 900 cached freed %d B, want 300", freed)
	}
	if freed := freed(p.ShrinkToFit(700)); freed != 0 {
		t.Errorf("a second ShrinkToFit freed %d B", freed)
	}
	if freed := freed(p.ClearSize(200)); freed != 0 {
		t.Errorf("ClearSize of an empty class freed %d B", freed)
	}
	if freed := freed(p.ClearSize(300)); freed != 600 {
		t.Errorf("ClearSize(300) freed %d B, want 600", freed)
	}
	release(t, acquire(t, p, 50))
	if freed := freed(p.Clear()); freed != 50 || e.Memory().Buffers != 0 {
		t.Errorf("Clear freed %d B, engine %+v", freed, e.Memory())
	}
}

func TestPoolPrewarm(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Capacity: 4, Policy: gpu.PolicyExact, Budget: 1000})
	if err := prewarm(p, 100, 3); err != nil {
		t.Fatal(err)
	}
	if err := prewarm(p, 100, 2); err != nil { // there are enough
		t.Fatal(err)
	}
	if s := p.Stats(); s.Cached != 3 || s.Creates != 3 || s.Acquires != 0 || s.HighWater != 300 {
		t.Errorf("%+v, want 3 cached buffers and no acquire", s)
	}
	wantError(t, prewarm(p, 100, 5), gpu.ErrInvalid, "5", "100", "4")
	wantError(t, prewarm(p, 400, 2), gpu.ErrOutOfMemory, "400", "1000")
	if e.Allocations() != 3 {
		t.Errorf("%d allocations, want 3", e.Allocations())
	}
	l := acquire(t, p, 100)
	if s := p.Stats(); s.Reuses != 1 {
		t.Errorf("an acquire after Prewarm was not a reuse: %+v", s)
	}
	release(t, l)
}

func TestPoolStranded(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact, StrandedAfter: 3})
	release(t, acquire(t, p, 700))
	for i := range 3 {
		if s := p.Stats(); s.StrandedBytes != 0 {
			t.Errorf("%d B stranded after %d acquires of another size", s.StrandedBytes, i)
		}
		release(t, acquire(t, p, 100))
	}
	if s := p.Stats(); s.StrandedBytes != 700 {
		t.Errorf("%d B stranded, want 700", s.StrandedBytes)
	}
	rows := p.Classes()
	want := []gpu.ClassStats{
		{Size: 100, Cached: 1, Acquires: 3, Reuses: 2}, {Size: 700, Cached: 1, Acquires: 1, Stranded: true},
	}
	if len(rows) != 2 || rows[0] != want[0] || rows[1] != want[1] {
		t.Errorf("classes %+v, want %+v", rows, want)
	}
}

func TestPoolDisabled(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Disabled: true, Policy: gpu.PolicyPow2})
	for range 5 {
		l := acquire(t, p, 100)
		if m := e.Memory(); m.Bytes != 100 {
			t.Errorf("engine %+v, want just 100 B", m)
		}
		release(t, l)
	}
	p.SetCapacity(10)
	release(t, acquire(t, p, 100))
	if s := p.Stats(); s.Creates != 6 || s.Frees != 6 || s.Reuses != 0 || s.Cached != 0 || e.Allocations() != 6 {
		t.Errorf("%+v, want 6 creates and frees", s)
	}
	wantError(t, prewarm(p, 100, 1), gpu.ErrInvalid)
}

func TestPoolWaste(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyPow2})
	l := acquire(t, p, 96)
	if w, ok := p.Stats().Waste(); !ok || w != 0.25 {
		t.Errorf("waste of 96 B in 128 B is %g, %v, want 0.25", w, ok)
	}
	release(t, l)
}
