package gpu_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/gpu"
)

// owners returns the owners of the live leases, oldest first.
func owners(p *gpu.Pool) string {
	var all []string
	for _, l := range p.Live() {
		all = append(all, l.Label+" of "+l.Owner)
	}
	return strings.Join(all, ", ")
}

func TestPoolOwners(t *testing.T) {
	p, _ := newPool(t, gpu.PoolOptions{})
	acquire := func(label string) gpu.Lease {
		t.Helper()
		l, err := p.Acquire(16, label)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	before := acquire("before")
	p.Own("nothing was acquired for it")
	if last := p.Own("a"); last != 1 {
		t.Errorf("the last lease before is %d, want 1", last)
	}
	a := acquire("1")
	a2 := acquire("2")
	p.Own("")
	between := acquire("3")
	if last := p.Own("b"); last != 4 {
		t.Errorf("the last lease before is %d, want 4", last)
	}
	b := acquire("4")
	if got, want := owners(p), "before of , 1 of a, 2 of a, 3 of , 4 of b"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	release(t, a)
	again := acquire("again") // in the same buffer
	for i := range 1000 {     // marks that are no longer needed are dropped
		p.Own(fmt.Sprint(i))
		release(t, acquire("short"))
	}
	last := acquire("last")
	if got, want := owners(p), "before of , 2 of a, 3 of , 4 of b, again of b, last of 999"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	release(t, before, a2, between, b, again, last)
}
