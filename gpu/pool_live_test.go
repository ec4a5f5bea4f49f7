package gpu_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"assay/gpu"
)

// here returns its caller's line.
func here() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

// helper may be inlined; the site is its line anyway.
func helper(p *gpu.Pool) (gpu.Lease, int, error) {
	l, err := p.Acquire(10, "from a helper")
	return l, here() - 1, err
}

func TestPoolLiveNamesTheSite(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	direct, err := p.Acquire(100, "direct")
	line := here() - 1
	if err != nil {
		t.Fatal(err)
	}
	helped, helperLine, err := helper(p)
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan gpu.Lease)
	goLine := here() + 2
	go func() { // the bottom of a stack
		l, _ := p.Acquire(7, "goroutine")
		started <- l
	}()
	inGoroutine := <-started

	live := p.Live()
	if len(live) != 3 {
		t.Fatalf("%d live leases, want 3", len(live))
	}
	for i, want := range []struct {
		label     string
		requested int
		granted   int
		fn        string
		line      int
	}{
		{"direct", 100, 112, "gpu_test.TestPoolLiveNamesTheSite", line},
		{"from a helper", 10, 16, "gpu_test.helper", helperLine},
		{"goroutine", 7, 16, "gpu_test.TestPoolLiveNamesTheSite.func1", goLine},
	} {
		got := live[i]
		if got.Label != want.label || got.Requested != want.requested || got.Granted != want.granted {
			t.Errorf("live %+v, want %+v", got, want)
		}
		if filepath.Base(got.Site.File) != "pool_live_test.go" || !strings.HasSuffix(got.Site.Func, want.fn) {
			t.Errorf("%s: site %v, want %s in pool_live_test.go", want.label, got.Site, want.fn)
		}
		if got.Site.Line != want.line {
			t.Errorf("%s: line %d, want %d", want.label, got.Site.Line, want.line)
		}
		if got.Age < 0 || (i > 0 && got.Age > live[i-1].Age) {
			t.Errorf("%s: age %v is not that of a lease younger than the one before", want.label, got.Age)
		}
	}
	release(t, direct, helped, inGoroutine)
	if n := len(p.Live()); n != 0 {
		t.Errorf("%d live leases after release", n)
	}
}

// A buffer that is leased again is another lease, even if everything else about it is the same.
func TestPoolLeasesHaveIDs(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	first := acquire(t, p, 100)
	before := p.Live()[0].ID
	release(t, first)
	second, third := acquire(t, p, 100), acquire(t, p, 100)
	live := p.Live()
	if a, b := live[0].ID, live[1].ID; a == before || b == before || a == b || p.Live()[0].ID != a {
		t.Errorf("leases %d, %d and %d", before, a, b)
	}
	release(t, second, third)
}

func TestPoolCloseReportsLive(t *testing.T) {
	p, e := newPool(t, gpu.PoolOptions{Policy: gpu.PolicyExact})
	l := acquire(t, p, 100)
	release(t, acquire(t, p, 300))
	err := p.Close()
	if err == nil || !strings.Contains(err.Error(), "1 leases (100 B)") {
		t.Errorf("Close with a live lease: %v", err)
	}
	if m := e.Memory(); m.Bytes != 100 {
		t.Errorf("Close kept cached buffers: %+v", m)
	}
	_, err = p.Acquire(1, "late")
	wantError(t, err, gpu.ErrClosed, "late")
	wantError(t, prewarm(p, 1, 1), gpu.ErrClosed)
	wantError(t, p.Close(), gpu.ErrClosed)
	release(t, l) // goes straight to the engine
}

func TestPoolConcurrent(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Mode: gpu.ModePoison, Capacity: 3, Budget: 1 << 20})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() { churn(t, p, byte(g)) })
	}
	wg.Go(func() {
		for i := range 200 {
			_, _ = p.ShrinkToFit(int64(i * 10))
			p.SetCapacity(1 + i%4)
			_, _ = p.ClearSize(100)
			_, _, _ = p.Stats(), p.Classes(), p.Live()
		}
	})
	wg.Wait()
	s := p.Stats()
	if s.Live != 0 || s.LiveBytes != 0 || s.LiveRequested != 0 || s.Acquires != 8*300 {
		t.Errorf("after all was released: %+v", s)
	}
	if s.Creates-s.Frees != int64(s.Cached) {
		t.Errorf("%d creates, %d frees, %d cached", s.Creates, s.Frees, s.Cached)
	}
}

// churn wants its own memory while it holds a lease.
func churn(t *testing.T, p *gpu.Pool, mark byte) {
	for i := range 300 {
		l, err := p.Acquire(1+i%40*13, "churn")
		if err != nil {
			t.Errorf("acquire: %v", err)
			return
		}
		if l.Bytes()[0] != gpu.PoisonByte {
			t.Errorf("byte %x, want poison", l.Bytes()[0])
		}
		if err := l.Fill(mark); err != nil {
			t.Errorf("fill: %v", err)
		}
		if mem := l.Bytes(); mem[0] != mark || mem[len(mem)-1] != mark {
			t.Errorf("a lease's memory is also another's")
		}
		if err := errors.Join(l.Release()); err != nil {
			t.Errorf("release: %v", err)
		}
		if !errors.Is(l.Release(), gpu.ErrReleased) {
			t.Error("a second Release passed")
		}
	}
}

func TestPoolReclaim(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	lost := acquire(t, p, 100)
	acquire(t, p, 200)
	n, err := p.Reclaim()
	if err != nil || n != 2 {
		t.Errorf("Reclaim: %d, %v, want 2 leases", n, err)
	}
	if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 || s.Cached != 2 {
		t.Errorf("after Reclaim: %+v", s)
	}
	wantError(t, lost.Release(), gpu.ErrReleased)
}
