package app

import (
	"fmt"

	"assay/app/bundle"
	"assay/gpu"
	"assay/monitor"
	"assay/monitor/leak"
	"assay/workloads"
)

// What a run says of its pool.

// notePool says what the run's pool is set to and what was prewarmed.
func (a *activeRun) notePool() {
	s := a.prewarmed
	budget := "no budget"
	if s.Budget > 0 {
		budget = "a budget of " + leak.Bytes(float64(s.Budget))
	}
	warm := "nothing prewarmed"
	if s.Cached > 0 {
		warm = buffersOf(s.Cached, s.CachedBytes) + " prewarmed"
	}
	a.event(bundle.Event{Kind: bundle.Noted, Title: "Pool", Text: fmt.Sprintf(
		"%d buffers cached per size class at most, %s, buffers handed out %s, %s", s.Capacity, budget,
		ModeWords(s.Mode), warm)})
}

// poolUse is what a run made of its pool.
func poolUse(s gpu.Stats) string {
	rate, ok := s.ReuseRate()
	if !ok {
		return "nothing was acquired"
	}
	return fmt.Sprintf("%d acquires, %.3g %% of them served from the cache; %d buffers made, %d evicted; %s held at most",
		s.Acquires, 100*rate, s.Creates, s.Evictions, leak.Bytes(float64(s.HighWater)))
}

// poolWarning goes with the results of a case during which a person changed the pool.
const poolWarning = "the pool was changed by hand while this was measured"

func (a *activeRun) warnPoolChanged(rs []workloads.Result) {
	if !a.poolChanged.Swap(false) {
		return
	}
	for i := range rs {
		rs[i].Warn(workloads.PoolChanged, poolWarning)
	}
}

// poolChanged notes in the run that goes on, if any, that a person changed the pool meanwhile.
func (s *Session) poolChanged(format string, args ...any) {
	run := s.open()
	if run == nil {
		return
	}
	run.poolChanged.Store(true)
	run.event(bundle.Event{
		Kind: bundle.Noted, Severity: string(monitor.SeverityWarning), Title: "Pool changed by hand",
		Text: fmt.Sprintf(format, args...),
	})
}
