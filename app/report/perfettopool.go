package report

import (
	"context"

	"assay/app/bundle"
	"assay/internal/si"
)

// poolCounter is a track of bytes that pool operations increase and decrease.
type poolCounter struct {
	track     uint64 // 0: nothing has been written yet
	title     string
	add, take bundle.PoolOp
	bytes     float64
	lost      bool // what follows is unknown
}

// pool writes the log of the run's pool: each operation as an instant, and the allocated and leased bytes. A sum counts at the
// time of its end.
func (t *trace) pool(p *Replay) error {
	counters := []*poolCounter{
		{title: "Pool: allocated, logged", add: bundle.PoolAllocated, take: bundle.PoolFreed},
		{title: "Pool: leased, logged", add: bundle.PoolAcquired, take: bundle.PoolReleased},
	}
	track, last := uint64(0), 0.0
	return p.Run.EachPoolRow(context.Background(), func(r *bundle.PoolRow) error {
		if track == 0 {
			track = t.track("Buffer pool")
		}
		last = max(last, p.at(r.Until)) // rows of two goroutines may be out of order
		t.event(last, eventOf(instant, track).text(eventName, poolTitle(r)).text(eventCategory, string(r.Op)).
			note("bytes", si.Bytes(float64(r.Size))).note("label", r.Label).note("case", r.Case))
		for _, c := range counters {
			c.count(t, last, r)
		}
		return t.err
	})
}

// poolTitle is an operation with what it was done to.
func poolTitle(r *bundle.PoolRow) string {
	title := string(r.Op)
	if r.Count > 1 {
		return title + ", " + si.Count(int(r.Count)) + " times"
	}
	if r.Label != "" {
		title += " " + r.Label
	}
	return title
}

// count writes the counter's value after a row that changes it. A sum of several sizes has no bytes: after it the value is unknown.
func (c *poolCounter) count(t *trace, at float64, r *bundle.PoolRow) {
	change := float64(r.Size) * float64(r.Count)
	switch r.Op {
	case c.add:
	case c.take:
		change = -change
	default:
		return
	}
	if c.lost = c.lost || r.Size == 0; c.lost {
		return
	}
	if c.track == 0 {
		c.track = t.counterTrack(c.title, "B")
	}
	c.bytes += change
	t.event(at, eventOf(counter, c.track).double(eventValue, c.bytes))
}
