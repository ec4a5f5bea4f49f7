package app

import (
	"context"
	"errors"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// Process growth from prewarming is subtracted from the baseline of the next run only, and never more than is still
// cached.
func TestWarmedBytesCountOnce(t *testing.T) {
	p := newPools()
	e := gputest.NewFake(gputest.Script{})
	own := p.of(e)
	if _, err := own.pool.Prewarm(context.Background(), 1000, 3); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ grown, want int64 }{{2000, 2000}, {5000, 3024}, {0, 0}} {
		p.mu.Lock()
		own.warmed = c.grown
		p.mu.Unlock()
		for _, want := range []int64{c.want, 0} {
			if _, warmed := p.begin(e, "run"); warmed != want {
				t.Errorf("grown by %d B: %d B warmed, want %d", c.grown, warmed, want)
			}
		}
	}
	if _, runs, _ := p.current(); runs != 6 {
		t.Errorf("%d runs have begun, want 6", runs)
	}
	own.warmed = 100
	if err := p.emptyAll(); err != nil || own.warmed != 0 || own.pool.Stats().Cached != 0 {
		t.Errorf("after emptying: %v, %+v", err, own.pool.Stats())
	}
	p.drop(e, errors.New("closed"))
	if m := e.Memory(); m != (gpu.Memory{}) {
		t.Errorf("the engine holds %+v after the drop", m)
	}
}
