package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"assay/gpu"
	"assay/monitor"
	"assay/monitor/leak"
	"assay/workloads"
)

// books are a run's accounts of memory: what was live before, while and after.
type books struct {
	run       *activeRun
	buffers   int64 // live in the engine before the run
	footprint leak.Footprint

	mu     sync.Mutex
	slope  *leak.Slope
	inCase string
	count  int
	found  bool // the slope verdict of this case was told
}

func newBooks(a *activeRun) *books {
	b := &books{run: a, buffers: a.engine.Memory().Buffers, slope: &leak.Slope{}}
	debug.FreeOSMemory() // garbage from before would hide growth
	if rss, err := monitor.Footprint(context.Background()); err == nil {
		b.footprint.Set(rss) // the check at the end says what is missing
	}
	return b
}

const growth = "Live memory grows"

// iteration watches the live bytes, which should be the same at each iteration of a case.
func (b *books) iteration(caseName string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if caseName != b.inCase {
		b.inCase, b.count, b.found = caseName, 0, false
		b.slope.Reset(caseName)
	}
	b.count++
	v := b.slope.Observe(time.Now(), b.count, b.run.engine.Memory().Bytes)
	switch {
	case v.Leaking && !b.found:
		b.found = true
		b.run.leak("leak.slope", growth, v.Cause)
	case b.found && !v.Leaking:
		b.found = false
		b.run.withdraw("leak.slope", growth)
	}
}

// endOfJob looks for buffers that a workload left behind, tells of them, and takes them back, so that the next
// workload starts clean. On a lost device nothing could be released, so nothing is judged.
func (b *books) endOfJob(w *workloads.Workload, err error) {
	b.mu.Lock()
	b.inCase = "" // the next workload may use the same case names
	b.mu.Unlock()
	if b.lost(err) {
		return
	}
	var live []leak.Live
	for _, l := range b.run.pool.Live() {
		live = append(live, leak.Live{Label: l.Label, Site: l.Site.String(), Bytes: int64(l.Granted), Age: l.Age})
	}
	if v := leak.EndOfRun(live); v.Leaking {
		b.run.leak("leak.end", "Buffers left behind", fmt.Sprintf("%s: %s", w.Name, v.Cause))
	}
	b.reclaim()
}

// lost reports whether the device went away, so that nothing could be released.
func (b *books) lost(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) || gpu.Lost(b.run.engine) != nil
}

// reclaim takes back what is still live, after it was reported.
func (b *books) reclaim() {
	if _, err := b.run.pool.Reclaim(); err != nil {
		b.run.event(Event{Kind: "error", Severity: "warning", Title: "Pool", Text: err.Error()})
	}
}

// close empties the pool and compares the engine's books and the process's footprint with those before the run. err is
// what ended the run.
func (b *books) close(err error) {
	pool := b.run.pool
	b.reclaim()
	if err := pool.Close(); err != nil {
		b.run.event(Event{Kind: "error", Severity: "warning", Title: "Pool", Text: err.Error()})
	}
	if b.lost(err) {
		return
	}
	if n := b.run.engine.Memory().Buffers - b.buffers; n > 0 {
		b.run.leak("leak.engine", "Buffers left in the engine", fmt.Sprintf("%d buffers that no pool knows of", n))
	}
	debug.FreeOSMemory() // caches emptied first, so that only what is really held counts
	rss, err := monitor.Footprint(context.Background())
	if err != nil {
		b.run.event(Event{Kind: "note", Title: "Footprint not available", Text: err.Error()})
		return
	}
	if v := b.footprint.Check(rss); v.Leaking {
		b.run.leak("leak.footprint", "The process has grown", v.Cause)
	} else {
		b.run.event(Event{Kind: "note", Title: "Footprint", Text: v.Cause})
	}
}
