package monitor

import (
	"time"

	"assay/internal/severity"
)

// memoryMetrics are how full the machine's memory is, and the effects.
func memoryMetrics() []Metric {
	return []Metric{
		{
			ID: HostMemoryFull, Title: "Memory used, share", Short: "in use", Unit: "ratio", Group: "memory", Show: AsLine, Limits: true,
			About: "Share of memory not available without swapping.",
			Rules: []Rule{{
				ID: "memory.full", Severity: severity.Warning, Title: "Memory almost full",
				Cause:  "of memory is in use; swapping may start",
				Advice: "Close other programs, lower the memory budget, or choose smaller sizes.",
				Raise:  0.90, Clear: 0.85, RaiseAfter: 2 * time.Second, ClearAfter: 5 * time.Second,
			}},
		},
		memoryPressure(),
		{
			ID: EngineWorkingSet, Title: "Working set", Short: "engine’s working set", Unit: "ratio", Group: "memory", Show: AsLine,
			About: "Memory the engine has allocated, cached buffers included, as a share of the device's recommended working set.",
			Rules: []Rule{{
				ID: "engine.working_set", Severity: severity.Warning, Title: "Engine memory almost full",
				Cause:  "of the engine’s working set is in use; allocations may fail or be paged out",
				Advice: "Choose smaller sizes or shrink the pool.",
				Raise:  0.90, Clear: 0.85, RaiseAfter: time.Second, ClearAfter: 5 * time.Second,
			}},
		},
		memoryLevel(),
		{
			ID: MemoryPressureFull, Title: "Memory pressure (all tasks)", Unit: "ratio",
			About: "Share of the last 10 s in which all runnable tasks waited for memory.",
		},
		{ID: HostMemory, Title: "Memory used", Unit: "B", About: "Memory not available without swapping."},
		{ID: HostMemoryTotal, Title: "Memory", Unit: "B", About: "The machine's memory."},
		{ID: HostMemoryFree, Title: "Memory free, as the kernel counts", Unit: "ratio", About: "Share of memory available, by the kernel's own count."},
		{ID: HostMemoryCompressed, Title: "Memory compressed", Unit: "B", About: "Memory used by the compressor."},
		{
			ID: HostSwap, Title: "Swap used", Short: "used", Unit: "B", Group: "swap", Show: AsLine,
			About: "Memory paged out to disk.",
		},
		{
			ID: HostSwapGrowth, Title: "Swap growth", Short: "growth", Unit: "B/s", Group: "swap", Show: AsLine,
			About: "Change of the swap in use since the last reading, per second; negative while it shrinks.",
			Rules: []Rule{{
				ID: "swap.growth", Severity: severity.Warning, Title: "Swapping",
				Cause:  "is written to swap; times of this run include paging",
				Advice: "Close other programs or choose smaller sizes until nothing swaps, and repeat the measurement.",
				Raise:  5e6, Clear: 0.5e6, RaiseAfter: 3 * time.Second, ClearAfter: 10 * time.Second,
			}},
		},
	}
}

// Advice on memory pressure.
const (
	pressureAdvice = "Close other programs or choose smaller sizes, and repeat the measurement."
	criticalAdvice = "Stop the run, then close other programs or choose smaller sizes."
	pressureHigh   = "Memory pressure is high"
)

func memoryPressure() Metric {
	return Metric{
		ID: MemoryPressure, Title: "Memory pressure", Short: "waiting", Unit: "ratio", Group: "memory", Show: AsLine,
		About: "Share of the last 10 s in which some task waited for memory; within the control group, where one limits memory.",
	}
}

func memoryLevel() Metric {
	return Metric{
		ID: MemoryPressureLevel, Title: "Memory pressure level", Short: "pressure", Group: "memory", Show: AsWord,
		About:  "Normal, warning or critical: as macOS reports it; on Linux by stalls for memory and the control group's limit.",
		States: []State{Normal, Warning, Critical},
		Rules: []Rule{
			{
				ID: "memory.level", Severity: severity.Warning, Title: "Memory pressure", Advice: pressureAdvice,
				Cause: "memory pressure; the system compresses, swaps or reclaims memory, and results of this run may be slow",
				Raise: 2, Clear: 0, RaiseAfter: 3 * time.Second, ClearAfter: 10 * time.Second,
			}, {
				ID: "memory.level.critical", Severity: severity.Critical, Title: pressureHigh, Advice: criticalAdvice,
				Cause: "memory pressure; stop the run or use smaller sizes",
				Raise: MaxRank, Clear: 2, RaiseAfter: time.Second, ClearAfter: 10 * time.Second,
			},
		},
	}
}
