package app

import (
	"context"
	"fmt"
	"time"

	"assay/gpu"
	"assay/internal/si"
	"assay/monitor"
)

// engineSource reports counters of the engine and the pool as readings.
type engineSource struct {
	session *Session
	at      time.Time
	before  gpu.Totals
	reuse   recentReuse
	runs    int // runs begun when reuse was last read
}

// Name is the source's name.
func (e *engineSource) Name() string { return "engine" }

// Read never blocks: it only copies counters.
func (e *engineSource) Read(context.Context) []monitor.Reading {
	return append(e.throughput(), append(e.memory(), e.pool()...)...)
}

func (e *engineSource) reading(metric string) monitor.Reading {
	r := monitor.Template(metric, "engine")
	r.Provenance, r.Status = monitor.Measured, monitor.OK
	return r
}

func unavailable(r monitor.Reading, why string) monitor.Reading {
	r.Status, r.Reason = monitor.Unavailable, why
	return r
}

// throughput returns the sum of kernel costs per second since the last tick.
func (e *engineSource) throughput() []monitor.Reading {
	now, totals := time.Now(), e.session.engines.meter.Totals()
	flops := e.reading(monitor.EngineFlops)
	bytes := e.reading(monitor.EngineBytes)
	depth := e.reading(monitor.QueueDepth)
	flops.Source, bytes.Source = "completed dispatches × kernel operations", "completed dispatches × kernel bytes"
	flops.Provenance, bytes.Provenance = monitor.Modeled, monitor.Modeled
	depth.Value = float64(totals.InFlight)
	dt := now.Sub(e.at).Seconds()
	if e.at.IsZero() || dt <= 0 {
		flops, bytes = unavailable(flops, "needs two samples"), unavailable(bytes, "needs two samples")
	} else {
		flops.Value = (totals.Ops - e.before.Ops) / dt
		bytes.Value = (totals.Bytes - e.before.Bytes) / dt
	}
	e.at, e.before = now, totals
	return []monitor.Reading{flops, bytes, depth}
}

// notCached is the source text of live readings.
const notCached = "engine’s count minus the pool’s cache"

func (e *engineSource) memory() []monitor.Reading {
	live := e.reading(monitor.EngineLive)
	count := e.reading(monitor.EngineBuffers)
	part := e.reading(monitor.EngineWorkingSet)
	engine, ok := e.session.engines.current()
	if !ok {
		const why = "no engine is open"
		return []monitor.Reading{unavailable(live, why), unavailable(count, why), unavailable(part, why)}
	}
	mem, info := e.session.engines.pools.live(engine), engine.Info()
	live.Value, count.Value = float64(mem.Bytes), float64(mem.Buffers)
	live.Source, count.Source = notCached, notCached
	if info.WorkingSet > 0 { // the cache uses it too
		part.Value = float64(engine.Memory().Bytes) / float64(info.WorkingSet)
		part.Source = "allocated bytes, cached included / working set of " + si.Bytes(float64(info.WorkingSet))
	} else {
		part = unavailable(part, "the engine does not report its working set")
	}
	return append([]monitor.Reading{live, count, part}, e.device(engine)...)
}

// device returns the device's own count, if it has one.
func (e *engineSource) device(engine gpu.Engine) []monitor.Reading {
	reporter, ok := gpu.As[gpu.MemoryReporter](engine)
	if !ok {
		return nil
	}
	r := e.reading(monitor.EngineDevice)
	r.Source = "the device’s count for this process"
	m, err := reporter.DeviceMemory()
	if err != nil {
		return []monitor.Reading{unavailable(r, err.Error())}
	}
	r.Value = float64(m.Allocated)
	return []monitor.Reading{r}
}

func (e *engineSource) pool() []monitor.Reading {
	reuse := e.reading(monitor.PoolReuse)
	recent := e.reading(monitor.PoolReuseRecent)
	stranded := e.reading(monitor.PoolStranded)
	cached := e.reading(monitor.PoolCached)
	waste, wasted := e.reading(monitor.PoolWaste), e.reading(monitor.PoolWasted)
	own, runs, missing := e.session.engines.pools.current()
	if own == nil {
		e.reuse.forget()
		why := fmt.Sprintf("%v: %v", ErrNoPool, missing)
		return []monitor.Reading{
			unavailable(reuse, why), unavailable(recent, why), unavailable(stranded, why), unavailable(cached, why),
			unavailable(waste, why), unavailable(wasted, why),
		}
	}
	if runs != e.runs {
		e.reuse.begin(time.Now())
		e.runs = runs
	}
	stats, ok := own.pool.Stats(), false
	stranded.Value, cached.Value = float64(stats.StrandedBytes), float64(stats.CachedBytes)
	if reuse.Value, ok = stats.ReuseRate(); !ok {
		reuse = unavailable(reuse, "no acquires yet")
	}
	if recent.Value, ok = e.reuse.rate(time.Now(), stats); !ok {
		recent = unavailable(recent, fmt.Sprintf("fewer than %d acquires in the last minute", recentAcquires))
	}
	wasted.Value = float64(stats.LiveBytes - stats.LiveRequested)
	if waste.Value, ok = stats.Waste(); !ok {
		waste = unavailable(waste, "nothing is live")
	}
	return []monitor.Reading{reuse, recent, stranded, cached, waste, wasted}
}

// recentReuse is the share of the last minute's acquires served from the cache. A sweep uses a few new sizes by design:
// only a rate over many acquires is meaningful.
type recentReuse struct {
	at    []time.Time
	stats []gpu.Stats
}

// The span of the recent rate, and how many acquires it needs.
const (
	recentSpan     = time.Minute
	recentAcquires = 64
)

func (r *recentReuse) forget() { r.at, r.stats = r.at[:0], r.stats[:0] }

// begin resets the state for counters that restarted.
func (r *recentReuse) begin(now time.Time) {
	r.forget()
	r.at, r.stats = append(r.at, now), append(r.stats, gpu.Stats{})
}

func (r *recentReuse) rate(now time.Time, s gpu.Stats) (float64, bool) {
	for len(r.at) > 0 && now.Sub(r.at[0]) > recentSpan {
		r.at, r.stats = r.at[1:], r.stats[1:]
	}
	var before gpu.Stats
	if len(r.at) > 0 {
		before = r.stats[0]
	}
	r.at, r.stats = append(r.at, now), append(r.stats, s)
	acquires := s.Acquires - before.Acquires
	if acquires < recentAcquires {
		return 0, false
	}
	return float64(s.Reuses-before.Reuses) / float64(acquires), true
}
