package monitor

import "time"

func machineGroups() []Group {
	return []Group{
		{
			ID: "memory", Title: "Memory and pressure", Max: 1,
			About: "How full the memory is, and how often tasks wait for it. Good: below 90 % in use, below 10 % waiting.",
		}, {
			ID: "process", Title: "Assay’s memory",
			About: "What Assay itself takes. Good: own overhead below 100 MB; what rises from run to run is a leak.",
		}, {
			ID: "cpu", Title: "CPU",
			About: "How busy the processor is. Good: quiet before a run, or other programs take part in your times.",
		}, {
			ID: "heat", Title: "Heat and throttling",
			About: "Heat lowers the clocks, and times measured then are too long. Good: nominal, and no throttling.",
		}, {
			ID: "power", Title: "Power",
			About: "What the parts draw. Good: level while a case is sampled; a step down under load is throttling.",
		}, {
			ID: "gpu", Title: "GPU", Max: 1,
			About: "How long the GPU is on, and how fast it runs then. Good: busy and at its top clock while sampling.",
		}, {
			ID: "swap", Title: "Swap",
			About: "Memory moved to disk to make room. Good: none that grows during a run.",
		},
	}
}

// ProcessOverhead is B: this process's footprint without the engine's buffers.
const ProcessOverhead = "process.overhead"

// processMetrics are what Assay itself takes.
func processMetrics() []Metric {
	return []Metric{
		{
			ID: ProcessRSS, Title: "Resident memory", Short: "resident", Unit: "B", Group: "process", Show: AsLine, Timeline: true,
			About: "This process's memory that is in RAM, pages that others share included.",
		},
		{
			ID: ProcessFootprint, Title: "Memory footprint", Short: "footprint", Unit: "B", Group: "process", Show: AsLine,
			About: "What macOS charges this process with: dirty, compressed and GPU memory.",
		},
		{
			ID: ProcessHeap, Title: "Go heap", Short: "Go heap", Unit: "B", Group: "process", Show: AsLine,
			About: "Objects on this process's Go heap.",
		},
		{
			ID: ProcessOverhead, Title: "Own overhead", Short: "own overhead", Unit: "B", Group: "process", Show: AsLine,
			About: "What Assay takes beside the buffers that it measures with: its footprint, less what the engine has allocated.",
		},
		{ID: ProcessGoroutines, Title: "Goroutines", Whole: true, About: "Goroutines of this process."},
		{ID: MonitorCost, Title: "Monitoring cost", Unit: "ratio", About: "Time that reading all sources took, as a share of the time between readings."},
	}
}

// machineMetrics are processor, heat and power.
func machineMetrics() []Metric {
	return []Metric{
		{
			ID: HostCPU, Title: "Host CPU", Short: "all cores", Unit: "ratio", Group: "cpu", Show: AsLine, Timeline: true,
			About: "Share of the time since the last reading in which the processor's cores were busy, for all programs.",
		},
		{
			ID: ProcessCPU, Title: "Process CPU", Short: "Assay, of one core", Unit: "ratio", Group: "cpu", Show: AsLine,
			About: "Processor time of this process since the last reading; 1 is one core all the time.",
		},
		{
			ID: CPUPressure, Title: "CPU pressure", Short: "tasks waiting", Unit: "ratio", Group: "cpu", Show: AsLine,
			About: "Share of the last 10 s in which some task waited for a core.",
		},
		{ID: IOPressure, Title: "I/O pressure", Unit: "ratio", About: "Share of the last 10 s in which some task waited for a disk."},
		{ID: HostLoad, Title: "Load average (1 min)", About: "Runnable tasks, on average over a minute."},
		{
			ID: Temperature, Title: "Temperature", Short: "hottest", Unit: "°C", Group: "heat", Show: AsLine, Timeline: true, Parts: true,
			About: "The temperature of the hottest sensor.",
		},
		{
			ID: TemperatureCPU, Title: "Temperature (CPU)", Short: "CPU", Unit: "°C", Group: "heat", Show: AsLine,
			About: "The temperature of the hottest sensor of the processor's cores.",
		},
		{
			ID: TemperatureGPU, Title: "Temperature (GPU)", Short: "GPU", Unit: "°C", Group: "heat", Show: AsLine,
			About: "The temperature of the GPU's hottest sensor.",
		},
		throttling(), thermalMetric(),
		{
			ID: ThermalPressure, Title: "Thermal pressure", Short: "thermal pressure", Group: "heat", Show: AsWord,
			About: "The level of thermal pressure that macOS states, finer than the thermal state.",
		},
		{
			ID: Power, Title: "Power", Short: "all", Unit: "W", Group: "power", Show: AsLine, Timeline: true, Parts: true,
			About: "What the whole machine draws, or of it what the title says.",
		},
		{
			ID: PowerSoC, Title: "Power (CPU, GPU, neural engine and memory)", Short: "chip", Unit: "W", Group: "power", Show: AsLine,
			About: "What the chip's parts draw together.",
		},
		{ID: PowerCPU, Title: "Power (CPU)", Short: "CPU", Unit: "W", Group: "power", Show: AsLine, About: "What the processor draws."},
		{ID: PowerGPU, Title: "Power (GPU)", Short: "GPU", Unit: "W", Group: "power", Show: AsLine, About: "What the GPU draws."},
		{ID: PowerGPUSRAM, Title: "Power (GPU memory on the chip)", Unit: "W", About: "What the GPU's own memory draws; on some chips the GPU's power includes it."},
		{ID: PowerANE, Title: "Power (neural engine)", Short: "neural engine", Unit: "W", Group: "power", Show: AsLine, About: "What the neural engine draws."},
		{ID: PowerDRAM, Title: "Power (memory)", Short: "memory", Unit: "W", Group: "power", Show: AsLine, About: "What the memory draws."},
	}
}

func throttling() Metric {
	return Metric{
		ID: Throttling, Title: "Throttling", Short: "throttled", Unit: "ratio", Group: "heat", Show: AsLine,
		About: "Share of the last interval in which the processor was slowed down, or by which share its clock lies below the one it should have.",
		Rules: []Rule{{
			ID: "throttling", Severity: SeverityWarning, Title: "Throttled",
			Cause:  "throttling; times measured meanwhile are too long",
			Advice: "Let the machine cool, put it on mains power, and measure again what was measured meanwhile.",
			Raise:  0.05, Clear: 0.01, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
		}},
	}
}

func thermalMetric() Metric {
	return Metric{
		ID: ThermalState, Title: "Thermal state", Short: "thermal state", Group: "heat", Show: AsWord,
		About: "How hot the machine is by its own limits: nominal, fair, serious or critical.",
		Rules: []Rule{
			{
				ID: "thermal.serious", Severity: SeverityWarning, Title: "Hot",
				Cause:  "thermal state; clocks are or will soon be lowered",
				Advice: "Let the machine cool, give it air, and measure in shorter runs.",
				Raise:  2, Clear: 1, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
			}, {
				ID: "thermal.critical", Severity: SeverityCritical, Title: "Too hot",
				Cause:  "thermal state; let the machine cool before measuring on",
				Advice: "Stop the run and let the machine cool.",
				Raise:  MaxRank, Clear: 2, RaiseAfter: time.Second, ClearAfter: 10 * time.Second,
			},
		},
	}
}

// gpuMetrics are what macOS says of the GPU, for all processes.
func gpuMetrics() []Metric {
	return []Metric{
		{
			ID: GPUBusy, Title: "GPU busy", Short: "busy", Unit: "ratio", Group: "gpu", Show: AsLine,
			About: "Share of the time since the last reading in which the GPU was not off.",
		},
		{
			ID: GPUUtilization, Title: "GPU utilization", Short: "in use", Unit: "ratio", Group: "gpu", Show: AsLine,
			About: "How busy the GPU is, by its driver.",
		},
		{
			ID: GPUClockShare, Title: "GPU clock, share of the highest", Short: "of top clock", Unit: "ratio", Group: "gpu", Show: AsLine,
			About: "The mean clock while the GPU was not off, as a share of its highest.",
		},
		{ID: GPUClock, Title: "GPU clock", Unit: "Hz", About: "The mean clock while the GPU was not off."},
		{ID: GPURenderer, Title: "GPU utilization (renderer)", Unit: "ratio", About: "How busy the GPU's renderer is, by its driver."},
		{ID: GPUTiler, Title: "GPU utilization (tiler)", Unit: "ratio", About: "How busy the GPU's tiler is, by its driver."},
		{ID: GPUMemory, Title: "GPU memory in use", Unit: "B", About: "System memory that all processes use on the GPU."},
		{ID: GPUMemoryAllocated, Title: "GPU memory allocated", Unit: "B", About: "System memory that all processes have allocated on the GPU."},
	}
}
