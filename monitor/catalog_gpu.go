package monitor

import (
	"time"

	"assay/internal/severity"
)

// Metrics of the GPU. If there are several GPUs, they cover the one that the engine uses, and on macOS all of them.
const (
	TemperatureGPU       = Temperature + ".gpu"
	TemperatureGPUMemory = Temperature + ".gpu_memory"
	PowerGPU             = Power + ".gpu"

	GPUBusy            = "gpu.busy"             // share of the last interval in which the GPU was not off
	GPUClock           = "gpu.clock"            // Hz, the mean while it was not off, or the current clock
	GPUClockShare      = "gpu.clock_share"      // that clock ÷ the clock of the top state
	GPUUtilization     = "gpu.utilization"      // ratio reported by the GPU's driver
	GPURenderer        = "gpu.renderer"         // ratio
	GPUTiler           = "gpu.tiler"            // ratio
	GPUOccupancy       = "gpu.occupancy"        // ratio over the last interval; macOS has none
	GPUOthers          = "gpu.others"           // share of the last interval in which it worked for other programs
	GPUMemory          = "gpu.memory_used"      // B, all processes
	GPUMemoryAllocated = "gpu.memory_allocated" // B
)

// Metrics of NVIDIA GPUs only.
const (
	GPUThrottling     = "gpu.throttling"       // ratio: 1 − clock ÷ maximum, while something holds the clock back
	GPUClockLimit     = "gpu.clock_limit"      // what sets the clock, in words: "power cap"; "nothing"
	GPUPowerCapped    = "gpu.power_capped"     // share of the last interval in which the power limit held the clock back
	GPUHeatCapped     = "gpu.heat_capped"      // the same for heat
	GPUClockMax       = "gpu.clock_max"        // Hz
	GPUMemoryClock    = "gpu.memory_clock"     // Hz
	GPUMemoryClockMax = "gpu.memory_clock_max" // Hz
	GPUMemoryBusy     = "gpu.memory_busy"      // share of time in which the GPU's memory was read or written
	// GPUMultiprocessors and GPUBandwidth are ratios over the last interval, from Hopper on.
	GPUMultiprocessors = "gpu.multiprocessors"
	GPUBandwidth       = "gpu.memory_bandwidth"
	GPUMemoryTotal     = "gpu.memory_total"      // B
	GPUPowerLimit      = "gpu.power_limit"       // W
	GPUEnergy          = "gpu.energy"            // J since the driver was loaded
	GPUReceived        = "gpu.pcie_received"     // B/s over the last interval
	GPUSent            = "gpu.pcie_sent"         // B/s
	GPUProcesses       = "gpu.compute_processes" // count
)

func gpuGroups() []Group {
	return []Group{
		{
			ID: "gpu", Title: "GPU", Part: PartCounters, Max: 1,
			About: "How much of the time the GPU is on, and its clock. Good: busy and at its top clock while sampling.",
		}, {
			ID: "gpuclock", Title: "GPU clocks", Part: PartCounters,
			About: "Clocks of the processors and of the memory. Good: steady while a case is sampled.",
		}, {
			ID: "gpumemory", Title: "GPU memory", Part: PartMemory,
			About: "Memory that all programs use on the GPU. Good: well below the total.",
		}, {
			ID: "pcie", Title: "PCI Express", Part: PartCounters,
			About: "Traffic between host and GPU. Good: none while kernels are sampled.",
		},
	}
}

func gpuOthers() Metric {
	return Metric{
		ID: GPUOthers, Title: "GPU, other programs", Short: "other programs", Unit: "ratio", Group: "gpu", Show: AsLine,
		About: "Share of time the GPU worked for other programs since the last reading.",
		Rules: []Rule{{
			ID: "others.gpu", Severity: severity.Warning, Title: "GPU is not quiet",
			Cause:  "of the GPU's time used by other programs; times measured meanwhile are too long",
			Advice: "Quit or pause the programs that use the GPU, then measure the disturbed cases again.",
			Raise:  QuietShare, Clear: QuietShare / 2, RaiseAfter: 3 * time.Second, ClearAfter: 5 * time.Second, While: EngineBytes,
		}},
	}
}

func gpuThrottling() Metric {
	return Metric{
		ID: GPUThrottling, Title: "GPU throttling", Short: "GPU throttled", Unit: "ratio", Group: "heat", Show: AsLine, Optional: true, Timeline: true,
		About: "How far the GPU's clock is below its maximum while its power limit, heat or a power brake holds it back; otherwise 0.",
		Rules: []Rule{{
			ID: "throttling.gpu", Severity: severity.Warning, Title: "GPU throttled",
			Cause:  "throttling of the GPU; times measured meanwhile are too long",
			Advice: "Let the GPU cool or raise its power limit, and repeat the measurement.",
			Raise:  ThrottledShare, Clear: 0.01, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
		}},
	}
}

// gpuMetrics are what the GPU and its driver report, for all processes.
func gpuMetrics() []Metric {
	return []Metric{
		{
			ID: GPUBusy, Title: "GPU busy", Short: "busy", Unit: "ratio", Group: "gpu", Show: AsLine,
			About: "Share of time the GPU was on since the last reading.",
		},
		{
			ID: GPUUtilization, Title: "GPU utilization", Short: "in use", Unit: "ratio", Group: "gpu", Show: AsLine,
			About: "GPU utilization, from its driver.",
		},
		{
			ID: GPUClockShare, Title: "GPU clock, share of maximum", Short: "of top clock", Unit: "ratio", Group: "gpu", Show: AsLine,
			About: "Clock of the GPU as a share of its maximum.",
		},
		{
			ID: GPUOccupancy, Title: "GPU occupancy", Short: "occupancy", Unit: "ratio", Group: "gpu", Show: AsLine, Optional: true,
			About: "Threads in flight on the GPU as a share of its maximum, since the last reading.",
		},
		gpuOthers(),
		{ID: GPURenderer, Title: "GPU utilization (renderer)", Unit: "ratio", About: "Utilization of the GPU's renderer, from its driver."},
		{ID: GPUTiler, Title: "GPU utilization (tiler)", Unit: "ratio", About: "Utilization of the GPU's tiler, from its driver."},
		{
			ID: GPUMemory, Title: "GPU memory in use", Short: "used", Unit: "B", Group: "gpumemory", Show: AsLine, Optional: true,
			About: "Memory in use by the GPU, all processes: on macOS system memory.",
		},
		{ID: GPUMemoryAllocated, Title: "GPU memory allocated", Unit: "B", About: "System memory all processes have allocated for the GPU."},
		{
			ID: GPUClock, Title: "GPU clock", Short: "processors", Unit: "Hz", Group: "gpuclock", Show: AsLine, Optional: true, Timeline: true,
			About: "Clock of the GPU: on macOS its mean while the GPU was on, on Linux that of the multiprocessors now.",
		},
	}
}

// nvidiaMetrics are the metrics that only NVIDIA's driver reports.
func nvidiaMetrics() []Metric {
	return []Metric{
		gpuThrottling(),
		{
			ID: GPUClockLimit, Title: "GPU clock limited by", Short: "clock limited by", Group: "gpu", Show: AsWord, Optional: true,
			About: "What keeps the GPU's clock from being higher, from its driver: idle, the power cap, heat, a power brake, or nothing.",
		},
		{ID: GPUPowerCapped, Title: "GPU held back by power", Unit: "ratio", About: "Share of time the power limit held the GPU's clock back since the last reading."},
		{ID: GPUHeatCapped, Title: "GPU held back by heat", Unit: "ratio", About: "Share of time heat held the GPU's clock back since the last reading."},
		{
			ID: TemperatureGPUMemory, Title: "Temperature (GPU memory)", Short: "GPU memory", Unit: "°C", Group: "heat", Show: AsLine, Optional: true,
			About: "Temperature of the GPU's memory.",
		},
		{ID: GPUPowerLimit, Title: "Power limit (GPU)", Short: "GPU limit", Unit: "W", Group: "power", Show: AsLine, Optional: true, About: "The power at which the driver holds the GPU back."},
		{ID: GPUEnergy, Title: "Energy (GPU)", Unit: "J", About: "Energy that the GPU has used since its driver was loaded."},
		{ID: GPUClockMax, Title: "GPU clock, maximum", Unit: "Hz", About: "Maximum clock of the multiprocessors."},
		{
			ID: GPUMemoryClock, Title: "GPU memory clock", Short: "memory", Unit: "Hz", Group: "gpuclock", Show: AsLine, Optional: true,
			About: "Clock of the GPU's memory.",
		},
		{ID: GPUMemoryClockMax, Title: "GPU memory clock, maximum", Unit: "Hz", About: "Maximum clock of the GPU's memory."},
		{ID: GPUMemoryBusy, Title: "GPU memory busy", Short: "memory in use", Unit: "ratio", Group: "gpu", Show: AsLine, Optional: true, About: "Share of time the GPU's memory was read or written, from its driver."},
		{
			ID: GPUMultiprocessors, Title: "GPU multiprocessors busy", Short: "multiprocessors", Unit: "ratio", Group: "gpu", Show: AsLine, Optional: true,
			About: "Multiprocessors with work as a share of all, since the last reading.",
		},
		{
			ID: GPUBandwidth, Title: "GPU memory bandwidth in use", Short: "bandwidth", Unit: "ratio", Group: "gpu", Show: AsLine, Optional: true,
			About: "Traffic of the GPU’s memory as a share of its peak by clock and bus width, since the last reading.",
		},
		{ID: GPUMemoryTotal, Title: "GPU memory", Short: "total", Unit: "B", Group: "gpumemory", Show: AsLine, Optional: true, About: "Memory of the GPU."},
		{ID: GPUReceived, Title: "PCIe, received by the GPU", Short: "to the GPU", Unit: "B/s", Group: "pcie", Show: AsLine, Optional: true, About: "Bytes per second that the GPU received over PCI Express."},
		{ID: GPUSent, Title: "PCIe, sent by the GPU", Short: "from the GPU", Unit: "B/s", Group: "pcie", Show: AsLine, Optional: true, About: "Bytes per second that the GPU sent over PCI Express."},
		{ID: GPUProcesses, Title: "Processes on the GPU", Whole: true, About: "Processes that have a compute context on the GPU, Assay's among them."},
	}
}
