package monitor

import (
	"time"

	"assay/internal/severity"
)

func engineGroups() []Group {
	return []Group{
		{
			ID: "throughput", Title: "Throughput", Part: PartCounters, Idle: "no run",
			About: "Work the kernels do per second. Good: steady while a case is sampled.",
		}, {
			ID: "buffers", Title: "Live buffers", Part: PartMemory,
			About: "The run's memory on the device. Good: returns to the same floor after each case; a rising floor is a leak.",
		}, {
			ID: "reuse", Title: "Pool reuse", Part: PartMemory, Max: 1,
			About: "Buffers reused instead of allocated. Shaded: rates usual for training, batch inference and one-off work.",
		}, {
			ID: "pool", Title: "Pool memory", Part: PartMemory,
			About: "Cached: kept for reuse. Stranded: in sizes that nothing requests. Waste: live bytes lost to rounding up. Good: little of both.",
		}, {
			ID: "queue", Title: "Queue", Part: PartCounters,
			About: "Command buffers submitted and not finished. Good: 1 or more while sampling, so that the device never idles.",
		},
	}
}

// minWasted is the waste below which no alert is worthwhile, in bytes: very small buffers waste a large share of very little.
const minWasted = 1e6

// engineMetrics are the metrics that the engine and its pool report.
func engineMetrics() []Metric {
	return []Metric{
		{
			ID: EngineFlops, Title: "Throughput", Short: "compute", Unit: "FLOP/s", Group: "throughput", Show: AsLine, Timeline: true,
			About: "Operations per second of dispatches completed since the last reading, from the kernels' cost models.",
		}, {
			ID: EngineBytes, Title: "Memory traffic", Short: "traffic", Unit: "B/s", Group: "throughput", Show: AsLine,
			About: "Bytes per second of dispatches completed since the last reading, from the kernels' cost models.",
		}, {
			ID: EngineLive, Title: "Live bytes", Short: "bytes", Unit: "B", Group: "buffers", Show: AsLine, Timeline: true,
			About: "Bytes of the engine's buffers in use, excluding those cached by the pool.",
		}, {
			ID: EngineBuffers, Title: "Live buffers", Short: "count", Unit: "buffers", Group: "buffers", Show: AsLine, Whole: true,
			About: "The engine's buffers in use, excluding those cached by the pool.",
		}, {
			ID: EngineDevice, Title: "Device memory", Unit: "B",
			About: "Bytes the device counts for this process.",
		}, {
			ID: PoolReuse, Title: "Pool reuse", Short: "whole run", Unit: "ratio", Group: "reuse", Show: AsLine,
			About: "Share of the run's acquires served from the pool's cache.",
			Good:  []Range{{0.8, 0.95, "training"}, {0.6, 0.8, "inference"}, {0, 0.2, "one-off"}},
		}, {
			ID: PoolReuseRecent, Title: "Pool reuse, last minute", Short: "last minute", Unit: "ratio", Group: "reuse", Show: AsLine,
			About: "Share of the last minute's acquires served from the pool's cache.",
			Rules: []Rule{{
				ID: "pool.reuse", Severity: severity.Info, Title: "Low pool reuse",
				Cause:  "of buffers come from the pool; sizes may vary too much, or the pool’s budget may be too small",
				Advice: "Round sizes to classes, raise the pool’s capacity or budget, or prewarm it.",
				Raise:  0.50, Clear: 0.70, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second, While: EngineBytes,
			}},
		}, {
			ID: PoolStranded, Title: "Stranded bytes", Short: "stranded", Unit: "B", Group: "pool", Show: AsLine, Limits: true,
			About: "Bytes cached by the pool in sizes not used lately.",
			Rules: []Rule{{
				ID: "pool.stranded", Severity: severity.Warning, Title: "Stranded pool memory",
				Cause:  "is cached in sizes that nothing requests; shrink the pool to fit",
				Advice: "Shrink the pool to fit, or clear the unused size classes.",
				Raise:  100e6, Clear: 50e6, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second,
			}},
		}, {
			ID: PoolCached, Title: "Cached bytes", Short: "cached", Unit: "B", Group: "pool", Show: AsLine,
			About: "Bytes the pool keeps for reuse.",
		}, {
			ID: PoolWaste, Title: "Pool waste", Short: "waste", Unit: "ratio", Group: "pool", Show: AsLine,
			About: "Share of live bytes beyond those requested: requests are rounded up to size classes.",
			Rules: []Rule{{
				ID: "pool.waste", Severity: severity.Warning, Title: "Pool wastes memory",
				Cause:  "of live bytes is lost to rounding up",
				Advice: "Use finer size classes, or request sizes that are multiples of them.",
				Raise:  0.05, Clear: 0.04, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second,
				While: PoolWasted, Above: minWasted,
			}},
		}, {
			ID: PoolWasted, Title: "Bytes wasted by the pool", Unit: "B",
			About: "Live bytes beyond those requested.",
		}, {
			ID: QueueDepth, Title: "Queue depth", Short: "command buffers", Unit: "command buffers", Group: "queue", Show: AsLine, Whole: true,
			About: "Command buffers submitted and not completed.",
		},
	}
}
