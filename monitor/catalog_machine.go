package monitor

import (
	"time"

	"assay/internal/severity"
)

func machineGroups() []Group {
	return []Group{
		{
			ID: "memory", Title: "Memory and pressure", Part: PartMemory, Max: 1,
			About: "Memory in use, and how often tasks stall for memory. Good: below 90 % in use, below 10 % stalled.",
		}, {
			ID: "process", Title: "Assay’s memory", Part: PartMemory,
			About: "Assay's own use. Good: overhead below 100 MB; growth from run to run is a leak.",
		}, {
			ID: "cpu", Title: "CPU", Part: PartCounters, Max: 1,
			About: "Shares of the whole machine. Should be idle before a run; other programs slow yours down.",
		}, {
			ID: "heat", Title: "Heat and throttling", Part: PartPower,
			About: "Heat lowers clocks and makes times too long. Good: nominal, no throttling.",
		}, {
			ID: "power", Title: "Power", Part: PartPower,
			About: "Power by component. Good: steady while a case is sampled; a step down under load is throttling.",
		},
	}
}

func swapGroups() []Group {
	return []Group{{
		ID: "swap", Title: "Swap", Part: PartMemory,
		About: "Memory paged out to disk. Good: no growth during a run.",
	}}
}

// maxCores is the highest ratio of one core that a rule may have.
const maxCores = 1024

// ProcessOverhead is in B: this process's footprint without the engine's buffers.
const ProcessOverhead = "process.overhead"

// processMetrics are the metrics of Assay's own process.
func processMetrics() []Metric {
	return []Metric{
		{
			ID: ProcessRSS, Title: "Resident memory", Short: "resident", Unit: "B", Group: "process", Show: AsLine, Timeline: true,
			About: "This process's memory in RAM, shared pages included.",
		},
		{
			ID: ProcessFootprint, Title: "Memory footprint", Short: "footprint", Unit: "B", Group: "process", Show: AsLine,
			About: "Memory macOS charges to this process: dirty, compressed and GPU memory.",
		},
		{
			ID: ProcessHeap, Title: "Go heap", Short: "Go heap", Unit: "B", Group: "process", Show: AsLine,
			About: "Objects on this process's Go heap.",
		},
		{
			ID: ProcessOverhead, Title: "Own overhead", Short: "own overhead", Unit: "B", Group: "process", Show: AsLine,
			About: "Assay's own memory: its footprint minus the engine's buffers.",
		},
		{ID: ProcessGoroutines, Title: "Goroutines", Whole: true, About: "Goroutines of this process."},
		{ID: MonitorCost, Title: "Monitoring cost", Unit: "ratio", About: "Time spent reading all sources, as a share of the interval between readings."},
	}
}

// machineMetrics are the metrics of processor, heat and power.
func machineMetrics() []Metric {
	return []Metric{
		{
			ID: ProcessCPU, Title: "Process CPU", Unit: "ratio", Max: maxCores,
			About: "CPU time of this process since the last reading; 1 is one full core.",
		},
		otherPrograms(),
		{
			ID: ProcessShare, Title: "Assay’s share of the CPU", Short: "Assay", Unit: "ratio", Group: "cpu", Show: AsLine,
			About: "Share of all core time used by this process since the last reading.",
		},
		{
			ID: HostSteal, Title: "Steal time", Short: "other virtual machines", Unit: "ratio", Group: "cpu", Show: AsLine,
			About: "Share of core time that the hypervisor gave to other virtual machines while this one had work.",
		},
		{
			ID: HostCPU, Title: "Host CPU", Short: "all of these", Unit: "ratio", Group: "cpu", Show: AsLine, Timeline: true,
			About: "Share of core time used by all programs since the last reading; the rest is idle.",
		},
		{
			ID: CPUPressure, Title: "CPU pressure", Unit: "ratio",
			About: "Share of the last 10 s in which some task waited for a core.",
		},
		{ID: IOPressure, Title: "I/O pressure", Unit: "ratio", About: "Share of the last 10 s in which some task waited for a disk."},
		{ID: HostLoad, Title: "Load average (1 min)", About: "Runnable tasks, on average over a minute."},
		{
			ID: Temperature, Title: "Temperature", Short: "hottest", Unit: "°C", Group: "heat", Show: AsLine, Timeline: true, Parts: true, Joint: true,
			About: "Temperature of the hottest sensor.",
		},
		{
			ID: TemperatureCPU, Title: "Temperature (CPU)", Short: "CPU", Unit: "°C", Group: "heat", Show: AsLine,
			About: "Temperature of the hottest CPU core sensor.",
		},
		{
			ID: TemperatureGPU, Title: "Temperature (GPU)", Short: "GPU", Unit: "°C", Group: "heat", Show: AsLine,
			About: "Temperature of the hottest GPU sensor.",
		},
		throttling(), thermalMetric(),
		{
			ID: ThermalPressure, Title: "Thermal pressure", Short: "thermal pressure", Group: "heat", Show: AsWord,
			About:  "The thermal pressure level reported by macOS, finer than the thermal state.",
			States: []State{Nominal, Moderate, Heavy, Trapping, Sleeping},
		},
		{
			ID: Power, Title: "Power", Short: "all", Unit: "W", Group: "power", Show: AsLine, Timeline: true, Parts: true,
			About: "Power of the whole machine, or of the part named in the title.",
		},
		{
			ID: PowerSoC, Title: "Power (CPU, GPU, neural engine and memory)", Short: "chip", Unit: "W", Group: "power", Show: AsLine,
			About: "Total power of the chip's components.",
		},
		{ID: PowerCPU, Title: "Power (CPU)", Short: "CPU", Unit: "W", Group: "power", Show: AsLine, About: "Power of the CPU."},
		{ID: PowerGPU, Title: "Power (GPU)", Short: "GPU", Unit: "W", Group: "power", Show: AsLine, Optional: true, Timeline: true, About: "Power of the GPU."},
		{ID: PowerGPUSRAM, Title: "Power (GPU memory on the chip)", Unit: "W", About: "Power of the GPU's on-chip memory; on some chips part of the GPU's power."},
		{ID: PowerANE, Title: "Power (neural engine)", Short: "neural engine", Unit: "W", Group: "power", Show: AsLine, About: "Power of the neural engine."},
		{ID: PowerDRAM, Title: "Power (memory)", Short: "memory", Unit: "W", Group: "power", Show: AsLine, About: "Power of the memory."},
	}
}

// QuietShare is the share of all core time that other programs may use on a machine that is fit for measurements.
const QuietShare = 0.1

// ThrottledShare is the amount of throttling above which times are too long to trust.
const ThrottledShare = 0.05

// NotQuiet is the ID of the alert that other programs use more than QuietShare.
const NotQuiet = "others"

func otherPrograms() Metric {
	return Metric{
		ID: HostOthers, Title: "Other programs", Short: "other programs", Unit: "ratio", Group: "cpu", Show: AsLine,
		About: "Share of all core time used by other programs since the last reading.",
		Rules: []Rule{{
			ID: NotQuiet, Severity: severity.Warning, Title: "Machine is not quiet",
			Cause:  "of all core time used by other programs; times measured meanwhile are too long",
			Advice: "Quit or pause the programs that use the CPU, then measure the disturbed cases again.",
			Raise:  QuietShare, Clear: QuietShare / 2, RaiseAfter: 3 * time.Second, ClearAfter: 5 * time.Second,
		}},
	}
}

func throttling() Metric {
	return Metric{
		ID: Throttling, Title: "Throttling", Short: "throttled", Unit: "ratio", Group: "heat", Show: AsLine,
		About: "Share of the last interval in which the processor was throttled or a CPU quota was used up, or how far its clock is below its base clock (where that is not known, below the best seen under full load); on macOS, how far the GPU’s clock under load is below the best seen.",
		Rules: []Rule{{
			ID: "throttling", Severity: severity.Warning, Title: "Throttled",
			Cause:  "throttling; times measured meanwhile are too long",
			Advice: "Let the machine cool, connect it to power or raise its CPU quota, and repeat the measurement.",
			Raise:  ThrottledShare, Clear: 0.01, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
		}},
	}
}

func thermalMetric() Metric {
	return Metric{
		ID: ThermalState, Title: "Thermal state", Short: "thermal state", Group: "heat", Show: AsWord, Joint: true,
		About:  "The system's thermal state: nominal, fair, serious or critical.",
		States: []State{Nominal, Fair, Serious, Critical},
		Rules: []Rule{
			{
				ID: "thermal.serious", Severity: severity.Warning, Title: "Hot",
				Cause:  "thermal state; clocks are lowered, or will be soon",
				Advice: "Let the machine cool, improve the airflow, and use shorter runs.",
				Raise:  2, Clear: 1, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
			}, {
				ID: "thermal.critical", Severity: severity.Critical, Title: "Too hot",
				Cause:  "thermal state; let the machine cool before you continue",
				Advice: "Stop the run and let the machine cool.",
				Raise:  MaxRank, Clear: 2, RaiseAfter: time.Second, ClearAfter: 10 * time.Second,
			},
		},
	}
}
