package gpu_test

import (
	"fmt"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// What a pool keeps for its counts does not grow with the number of sizes it has served, and no count is lost.
func TestClassesAreBounded(t *testing.T) {
	const sizes, bound = 20_000, 2000
	for name, o := range map[string]gpu.PoolOptions{
		"disabled":              {Disabled: true},
		"exact, nothing cached": {Policy: gpu.PolicyExact, Capacity: -1},
		"exact, small budget":   {Policy: gpu.PolicyExact, Budget: 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newPool(t, o)
			for n := range sizes {
				if err := acquire(t, p, n+1).Release(); err != nil {
					t.Fatal(err)
				}
			}
			snap := p.Snapshot(0)
			if len(snap.Classes) > bound {
				t.Errorf("%d classes after %d sizes", len(snap.Classes), sizes)
			}
			if snap.Stats.Acquires != sizes || snap.Stats.Creates != sizes {
				t.Errorf("after %d acquires of other sizes the counts are %+v", sizes, snap.Stats)
			}
			if last := snap.Classes[len(snap.Classes)-1]; last.Size != sizes || last.Acquires != 1 {
				t.Errorf("the size used last is listed as %+v", last)
			}
		})
	}
}

// Classes whose buffers are all released at once are dropped too.
func TestClassesOfManyLeasesAreDropped(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{Disabled: true})
	const n = 5000
	var leases []gpu.Lease
	for i := range n {
		leases = append(leases, acquire(t, p, i+1))
	}
	if snap := p.Snapshot(0); len(snap.Classes) != n || snap.Stats.Classes != n {
		t.Fatalf("%d leases of different sizes are in %d classes", n, len(snap.Classes))
	}
	for _, l := range leases {
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	p.Stats()
	if got := len(p.Classes()); got > 1100 {
		t.Errorf("nothing is live, and %d classes are kept", got)
	}
}

// busy is an engine on which others acquire and release buffers while one is being created.
type busy struct {
	*gputest.Fake
	pool  *gpu.Pool
	quiet bool
}

func (b *busy) NewBuffer(bytes int, s gpu.Storage, label string) (gpu.Buffer, error) {
	if bytes == 77 && !b.quiet {
		b.quiet = true
		for i := range 3000 {
			l, err := b.pool.Acquire(1000+i, "other")
			if err != nil {
				return nil, err
			}
			if err := l.Release(); err != nil {
				return nil, err
			}
		}
	}
	return b.Fake.NewBuffer(bytes, s, label)
}

// A class may be dropped while a buffer for it is being created: the lease counts anyway.
func TestClassDroppedDuringAcquire(t *testing.T) {
	e := &busy{Fake: gputest.NewFake(gputest.Script{})}
	e.pool = gpu.NewPool(e, gpu.PoolOptions{Disabled: true})
	l, err := e.pool.Acquire(77, "slow")
	if err != nil {
		t.Fatal(err)
	}
	found := "none"
	for _, c := range e.pool.Classes() {
		if c.Size == 77 {
			found = fmt.Sprintf("%+v", c)
			if c.Live != 1 || c.Acquires != 1 {
				t.Errorf("one lease of 77 B is listed as %+v", c)
			}
		}
	}
	if found == "none" {
		t.Error("a live lease's class is not listed")
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := e.pool.Close(); err != nil {
		t.Error(err)
	}
}
