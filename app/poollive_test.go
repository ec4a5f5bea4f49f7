package app

import (
	"fmt"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
)

func TestLiveOrders(t *testing.T) {
	lease := func(label string, requested, granted int, age time.Duration, line int) gpu.LiveLease {
		return gpu.LiveLease{Label: label, Requested: requested, Granted: granted, Age: age, Site: gpu.Site{File: "w/x.go", Line: line, Func: "f"}}
	}
	all := []gpu.LiveLease{lease("b", 100, 112, 9, 3), lease("c", 110, 112, 5, 1), lease("a", 50, 64, 2, 2)}
	for _, c := range []struct {
		order LiveOrder
		want  string
	}{
		{LiveOrder{}, "bca"},
		{LiveOrder{Ascending: true}, "abc"},
		{LiveOrder{By: LiveRequested}, "cba"},
		{LiveOrder{By: LiveAge}, "bca"},
		{LiveOrder{By: LiveAge, Ascending: true}, "acb"},
		{LiveOrder{By: LiveLabel}, "cba"},
		{LiveOrder{By: LiveSite, Ascending: true}, "cab"},
	} {
		got := c.order.Sorted(all)
		if labels := got[0].Label + got[1].Label + got[2].Label; labels != c.want {
			t.Errorf("%+v gives %s, want %s", c.order, labels, c.want)
		}
	}
}

func BenchmarkPoolState(b *testing.B) {
	for _, order := range []LiveOrder{{}, {By: LiveSite}} {
		for _, n := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("by %d, %d leases", order.By, n), func(b *testing.B) {
				e := gputest.NewFake(gputest.Script{})
				s := &Session{engines: newEngines(nil)}
				pool := s.engines.pools.of(e).pool
				for i := range n {
					if _, err := pool.Acquire(64+i%5000, "bench"); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					if state, err := s.Pool().State(order); err != nil || len(state.Live) != n {
						b.Fatal(len(state.Live), err)
					}
				}
			})
		}
	}
}
