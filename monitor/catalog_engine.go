package monitor

import "time"

func engineGroups() []Group {
	return []Group{
		{
			ID: "throughput", Title: "Throughput", Idle: "no run",
			About: "What the kernels get done each second. Good: level while a case is sampled.",
		}, {
			ID: "buffers", Title: "Live buffers",
			About: "What the run holds on the device. Good: back to the same floor after each case; a rising floor is a leak.",
		}, {
			ID: "reuse", Title: "Pool reuse", Max: 1,
			About: "Buffers reused, not made anew. Good: training 80–95 %, batch inference 60–80 %, one-off 0–20 %.",
		}, {
			ID: "pool", Title: "Pool memory",
			About: "Cached waits for reuse; stranded lies in sizes that nobody asks for. Good: little stranded.",
		}, {
			ID: "queue", Title: "Queue",
			About: "Command buffers handed over and not finished. Good: 1 or more while sampling, so that the device never waits.",
		},
	}
}

// engineMetrics are what the engine and its pool say of themselves.
func engineMetrics() []Metric {
	return []Metric{
		{
			ID: EngineFlops, Title: "Throughput", Short: "compute", Unit: "FLOP/s", Group: "throughput", Show: AsLine, Timeline: true,
			About: "Operations of the dispatches that completed since the last reading, by the kernels' cost models, per second.",
		}, {
			ID: EngineBytes, Title: "Memory traffic", Short: "traffic", Unit: "B/s", Group: "throughput", Show: AsLine,
			About: "Bytes of the dispatches that completed since the last reading, by the kernels' cost models, per second.",
		}, {
			ID: EngineLive, Title: "Live bytes", Short: "bytes", Unit: "B", Group: "buffers", Show: AsLine, Timeline: true,
			About: "Bytes of the engine's buffers that are in use, without those that the pool caches.",
		}, {
			ID: EngineBuffers, Title: "Live buffers", Short: "count", Unit: "buffers", Group: "buffers", Show: AsLine, Whole: true,
			About: "The engine's buffers that are in use, without those that the pool caches.",
		}, {
			ID: EngineDevice, Title: "Device memory", Unit: "B",
			About: "Bytes that the device counts for this process.",
		}, {
			ID: PoolReuse, Title: "Pool reuse", Short: "whole run", Unit: "ratio", Group: "reuse", Show: AsLine,
			About: "Share of the run's acquires that the pool served from its cache.",
			Good:  []Range{{0.8, 0.95, "training"}, {0.6, 0.8, "inference"}, {0, 0.2, "one-off"}},
		}, {
			ID: PoolReuseRecent, Title: "Pool reuse, last minute", Short: "last minute", Unit: "ratio", Group: "reuse", Show: AsLine,
			About: "Share of the last minute's acquires that the pool served from its cache.",
			Rules: []Rule{{
				ID: "pool.reuse", Severity: SeverityInfo, Title: "Pool hardly reused",
				Cause:  "of the buffers come from the pool; the sizes may vary too much or the pool’s budget be too small",
				Advice: "Round sizes to classes, raise the pool’s capacity or budget, or prewarm it.",
				Raise:  0.50, Clear: 0.70, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second, While: EngineBytes,
			}},
		}, {
			ID: PoolStranded, Title: "Stranded bytes", Short: "stranded", Unit: "B", Group: "pool", Show: AsLine, Limits: true,
			About: "Bytes that the pool caches in sizes that were not asked for lately.",
			Rules: []Rule{{
				ID: "pool.stranded", Severity: SeverityWarning, Title: "Stranded pool memory",
				Cause:  "lies in the pool in sizes that nobody asks for; shrink the pool to fit",
				Advice: "Shrink the pool to fit, or clear the size classes that are not used.",
				Raise:  100e6, Clear: 50e6, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second,
			}},
		}, {
			ID: PoolCached, Title: "Cached bytes", Short: "cached", Unit: "B", Group: "pool", Show: AsLine,
			About: "Bytes that the pool holds for reuse.",
		}, {
			ID: QueueDepth, Title: "Queue depth", Short: "command buffers", Unit: "command buffers", Group: "queue", Show: AsLine, Whole: true,
			About: "Command buffers that were submitted and have not completed.",
		},
	}
}
