package app

import (
	"fmt"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/monitor/leak"
	"assay/workloads"
)

// What a run records about its pool.

// notePool records the settings of the run's pool and what was prewarmed.
func (a *activeRun) notePool() {
	s := a.prewarmed
	if s.Disabled {
		off, _ := PoolStates().Find(true)
		a.event(bundle.Event{Kind: bundle.Noted, Title: "Pool", Text: off.Name + ": " + off.Words})
		return
	}
	budget := "no budget"
	if s.Budget > 0 {
		budget = "a budget of " + leak.Bytes(float64(s.Budget))
	}
	warm := "nothing prewarmed"
	if s.Cached > 0 {
		warm = buffersOf(s.Cached, s.CachedBytes) + " prewarmed"
	}
	mode, _ := gpu.Modes().Find(s.Mode)
	policy, _ := gpu.Policies().Find(s.Policy)
	text := fmt.Sprintf("at most %d buffers cached per size class (%s), %s, new buffers %s, %s", s.Capacity, policy.Words, budget,
		mode.Words, warm)
	if upkeep := a.request.Upkeep.words(); upkeep != "" {
		text += ", " + upkeep
	}
	a.event(bundle.Event{Kind: bundle.Noted, Title: "Pool", Text: text})
}

// poolUse summarizes a run's use of its pool.
func poolUse(s gpu.Stats) string {
	rate, ok := s.ReuseRate()
	if !ok {
		return "no acquires"
	}
	return fmt.Sprintf("%d acquires, %.3g %% reused; %d buffers allocated, %d evicted; peak %s",
		s.Acquires, 100*rate, s.Creates, s.Evictions, leak.Bytes(float64(s.HighWater)))
}

// poolWarning is the warning for results of a case during which the user changed the pool.
const poolWarning = "the pool was changed during this measurement"

func (a *activeRun) warnPoolChanged(rs []workloads.Result) {
	if !a.poolChanged.Swap(false) {
		return
	}
	for i := range rs {
		rs[i].Warn(workloads.PoolChanged, poolWarning)
	}
}

// poolChanged records in the run in progress, if any, that the user changed the pool.
func (s *Session) poolChanged(format string, args ...any) {
	run := s.open()
	if run == nil {
		return
	}
	run.poolChanged.Store(true)
	run.event(bundle.Event{
		Kind: bundle.Noted, Severity: severity.Warning, Title: "Pool changed during the run",
		Text: fmt.Sprintf(format, args...),
	})
}
