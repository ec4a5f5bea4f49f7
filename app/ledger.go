package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/monitor"
	"assay/monitor/leak"
)

// ledger accounts for a run's memory: what is live before, during and after it.
type ledger struct {
	run       *activeRun
	watch     *liveWatch
	buffers   int64 // live in the engine before the run, outside the pool
	footprint leak.Footprint
	code      int64           // bytes of loaded code before the run
	growth    string          // ID of the leak that the slope found in this case
	scope     string          // the case whose leases the pool knows; empty: none
	before    uint64          // the pool's last lease before it
	told      map[uint64]bool // reported leases that a case left, by ID
	inFlight  bool            // the device still works on buffers of a case that has ended
}

// newLedger opens the ledger of a run on a pool. The baseline excludes prewarmed buffers and the process growth they caused,
// because they are gone at the end.
func newLedger(a *activeRun, own *ownedPool, warmed int64) *ledger {
	stats := own.pool.Stats()
	b := &ledger{
		told: map[uint64]bool{}, run: a, watch: &liveWatch{runID: own.runID, began: a.began},
		buffers:   own.engine.Memory().Buffers - int64(stats.Cached+stats.Live),
		footprint: leak.Footprint{Tolerance: a.request.LeakTolerance}, code: codeBytes(own.engine),
	}
	debug.FreeOSMemory() // earlier garbage would hide growth
	if rss, err := monitor.Footprint(context.Background()); err == nil {
		b.footprint.Set(rss - warmed) // the final check reports what is missing
	}
	return b
}

// iteration watches the live bytes, which should be the same at every iteration of a case.
func (b *ledger) iteration(caseName string) {
	if b.scope != caseName { // a workload that does not use the bench's cases
		b.enterCase(caseName)
	}
	if b.watch.changes(caseName) {
		b.endCase()
	}
	switch v, turn := b.watch.observe(caseName, time.Now(), b.run.session.engines.pools.live(b.run.engine).Bytes); turn {
	case leakFound:
		b.growth = b.run.leak(slopeAlert, v)
	case leakRestated:
		b.run.restate(slopeAlert, b.growth, v)
	case leakWithdrawn:
		b.run.withdraw(slopeAlert, b.growth)
	}
}

// enterCase assigns leases from now on to the case.
func (b *ledger) enterCase(caseName string) {
	b.scope, b.before = caseName, b.run.pool.Own(caseName)
}

// leaveCase reports what the case acquired and did not release; it stays live until the workload's end.
func (b *ledger) leaveCase() {
	after := b.run.pool.Own("")
	b.scope = ""
	if after == b.before || b.inFlight {
		return
	}
	var left []gpu.LiveLease
	for _, l := range b.run.pool.Live() {
		if l.ID > b.before && l.ID <= after {
			left, b.told[l.ID] = append(left, l), true
		}
	}
	b.reportLeft(left)
}

// reportLeft reports leases that should have been released.
func (b *ledger) reportLeft(leases []gpu.LiveLease) {
	live := make([]leak.Live, len(leases))
	for i, l := range leases {
		live[i] = leak.Live{Label: l.Label, Site: l.Site.String(), Calls: callers(l.Trace), Case: l.Owner, Bytes: int64(l.Granted), Age: l.Age}
	}
	if v := leak.EndOfRun(live); v.Leaking {
		v.Cause = fmt.Sprintf("%s: %s", b.run.request.Jobs[b.run.job].Workload, v.Cause)
		b.found(endAlert, v)
	}
}

// maxCallers is how many calls leading to an allocation a report names.
const maxCallers = 3

// callers names the calls that led to the allocating line; empty: none is known.
func callers(trace []gpu.Site) string {
	var all []string
	for _, s := range trace[min(len(trace), 1):min(len(trace), 1+maxCallers)] {
		all = append(all, s.String())
	}
	if len(all) == 0 {
		return ""
	}
	return "called from " + strings.Join(all, ", ")
}

// endCase reports the final growth found in the case.
func (b *ledger) endCase() {
	if v, found := b.watch.endCase(); found {
		b.run.restate(slopeAlert, b.growth, v)
	}
}

// abandon ends the search for leaks: buffers that the device still works on are neither released nor leaked.
func (b *ledger) abandon() {
	if b.inFlight {
		return
	}
	b.inFlight = true
	b.run.event(bundle.Event{
		Kind: bundle.Noted, Severity: severity.Warning, Title: "Leaks not checked",
		Text: "the device was still at work when the case ended, and keeps the buffers of that work",
	})
}

// endOfJob finds, reports and releases buffers that a workload leaked, so that the next workload starts clean. After a
// lost device, or with work in flight, nothing could be released, so nothing is reported.
func (b *ledger) endOfJob(err error) {
	b.endCase()
	defer b.run.session.clear(slopeAlert)
	if b.inFlight || b.lost(err) {
		return
	}
	b.run.pool.Own("")
	b.scope = ""
	leases := b.run.pool.Live()
	b.run.session.engines.pools.leave(b.run.engine, leases)
	b.reportLeft(slices.DeleteFunc(leases, func(l gpu.LiveLease) bool { return b.told[l.ID] }))
	clear(b.told)
	if b.reclaim() {
		b.run.session.clear(endAlert)
	}
}

// found reports a leak that the slope did not find; the watch reports those of the slope.
func (b *ledger) found(alert string, v leak.Verdict) {
	b.watch.tell(alertTitle(alert) + ": " + v.Cause)
	b.run.leak(alert, v)
}

// lost reports whether the device was lost, so that nothing could be released.
func (b *ledger) lost(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) || gpu.Lost(b.run.engine) != nil
}

// reclaim releases what is still live after it was reported, and reports whether all of it was released.
func (b *ledger) reclaim() bool {
	_, err := b.run.pool.Reclaim()
	if err != nil {
		b.run.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Warning, Title: "Pool", Text: err.Error()})
	}
	return err == nil
}

// close empties the pool and compares the engine's ledger and the process's footprint with those before the run. err is
// what ended the run. The pool and its counters stay for viewing.
func (b *ledger) close(err error) {
	defer b.watch.end()
	pool := b.run.pool
	if !b.inFlight {
		b.reclaim()
	}
	if _, err := pool.Clear(); err != nil {
		b.run.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Warning, Title: "Pool", Text: err.Error()})
	}
	b.run.event(bundle.Event{Kind: bundle.Noted, Title: "Pool at the end", Text: poolUse(pool.Stats())})
	if b.inFlight || b.lost(err) {
		return
	}
	if n := b.run.engine.Memory().Buffers - b.buffers; n > 0 {
		b.found(engineAlert, leak.Verdict{Leaking: true, Cause: unknownBuffers(n)})
	}
	b.footprint.Code = codeBytes(b.run.engine) - b.code
	debug.FreeOSMemory() // caches are emptied first, so that only retained memory counts
	rss, err := monitor.Footprint(context.Background())
	if err != nil {
		b.run.event(bundle.Event{Kind: bundle.Noted, Title: "Footprint not available", Text: err.Error()})
		return
	}
	if v := b.footprint.Check(rss); v.Leaking {
		b.found(footprintAlert, v)
	} else {
		b.run.event(bundle.Event{Kind: bundle.Noted, Title: "Footprint", Text: v.Cause})
	}
}

// codeBytes is the memory of this process that the engine's driver keeps for code; 0 if the driver does not report it.
func codeBytes(e gpu.Engine) int64 {
	if holder, ok := gpu.As[gpu.CodeHolder](e); ok {
		return holder.CodeBytes()
	}
	return 0
}

func unknownBuffers(n int64) string {
	if n == 1 {
		return "1 buffer outside any pool"
	}
	return fmt.Sprintf("%d buffers outside any pool", n)
}
