package workloads

import (
	"slices"

	"assay/internal/metric"
)

// Metrics of the results of every workload. Workloads declare SNR and other accuracy metrics of formats themselves.
const (
	Time            metric.Name = "time_s"
	Samples         metric.Name = "samples"
	SamplesKept     metric.Name = "samples_kept" // of a series
	Outliers        metric.Name = "outliers"
	LowerQuartile   metric.Name = "time_q1_s"
	UpperQuartile   metric.Name = "time_q3_s"
	Warmups         metric.Name = "warmup_samples"
	Repetitions     metric.Name = "repetitions"
	Throughput      metric.Name = "flops_per_s"
	Bandwidth       metric.Name = "bytes_per_s"
	ItemRate        metric.Name = "items_per_s"
	Speedup         metric.Name = "speedup"
	ErrorMax        metric.Name = "error_max"
	ErrorRel        metric.Name = "error_rel"
	Compared        metric.Name = "elements_compared"
	Outputs         metric.Name = "output_elements"
	Ops             metric.Name = "ops"
	Bytes           metric.Name = "bytes"
	Items           metric.Name = "items"
	Dispatches      metric.Name = "dispatches"
	BytesSaved      metric.Name = "bytes_saved"
	DispatchesSaved metric.Name = "dispatches_saved"
	Clock           metric.Name = "clock"
	Tuned           metric.Name = "tuned"
	KernelTimes     metric.Name = "kernel_times"
)

// HostClock is the value of Clock for a time taken by the host.
const HostClock = "host"

// Metrics of what else the machine did while the samples were taken.
const (
	OthersCPU metric.Name = "others_cpu"
	OthersGPU metric.Name = "others_gpu"
	Elsewhere metric.Name = "device_elsewhere"
	StealCPU  metric.Name = "steal_cpu"
	Stalled   metric.Name = "memory_stalled"
	Swapped   metric.Name = "swapped_bytes_per_s"
	Throttled metric.Name = "throttled"
	SetAside  metric.Name = "samples_set_aside"
	Retries   metric.Name = "retries"
	Hottest   metric.Name = "temperature_c"
	Power     metric.Name = "power_w"
	Process   metric.Name = "process_bytes"

	OwnCPU     metric.Name = "own_cpu"
	OwnTicks   metric.Name = "own_readings_per_s"
	OwnRedraws metric.Name = "own_redraws_per_s"
	OwnSource  metric.Name = "own_cpu_source"

	AnchorDrift  metric.Name = "anchor_drift"
	TimesAgain   metric.Name = "measured_again"
	CooledBefore metric.Name = "cooled_s"

	Duty      metric.Name = "duty"
	DutyLimit metric.Name = "duty_limit"
	DutyPower metric.Name = "duty_power_w"
	PowerCap  metric.Name = "power_cap_w"
)

// surroundings lists them.
func surroundings() metric.List {
	return metric.List{
		{
			Name: OthersCPU, Title: "Other programs", Missing: "the system does not report it", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "Share of all core time that other programs used while the samples were taken.",
		},
		{
			Name: OthersGPU, Title: "GPU, other programs", Missing: "reported only on macOS, for engines on the GPU", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "Share of the time in which the GPU worked for other programs while the samples were taken; only on macOS, and only for engines on the GPU.",
		},
		{
			Name: Elsewhere, Title: "Device elsewhere", Missing: "reported for engines on a GPU, where two samples are in flight", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "Share of the time in which the GPU did not run the samples submitted to it: it worked for other programs, or was idle between samples.",
		},
		{
			Name: StealCPU, Title: "Steal time", Missing: "the system has none, or does not report it", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "Share of all core time that the hypervisor gave to other virtual machines while the samples were taken.",
		},
		{
			Name: Stalled, Title: "Memory stalls", Group: metric.Memory, Missing: "the system does not report it", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "Share of the time in which some task waited for memory while the samples were taken.",
		},
		{
			Name: Swapped, Title: "Swapped", Group: metric.Memory, Unit: "B/s", Shape: metric.Scalar, Better: metric.Less,
			About: "Memory moved to and from swap per second while the samples were taken.",
		},
		{
			Name: Throttled, Title: "Throttled", Missing: "no sensor reports it", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "How much the processor, or on macOS the GPU, was throttled while the samples were taken.",
		},
		{
			Name: SetAside, Title: "Samples set aside", Shape: metric.Count, Better: metric.Less,
			About: "Samples taken while the machine was disturbed, and replaced by others.",
		},
		{
			Name: Retries, Title: "Retries", Shape: metric.Count, Better: metric.Less,
			About: "Submissions that failed and were repeated; a warning says which samples.",
		},
		{
			Name: Hottest, Title: "Temperature", Group: metric.Power, Missing: "no sensor reports it, or not while these samples were taken", Unit: "°C", Shape: metric.Scalar, Better: metric.Less,
			About: "The GPU’s temperature while the samples were taken, for engines on a GPU that reports it; otherwise the hottest sensor’s.",
		},
		{
			Name: Power, Title: "Power", Group: metric.Power, Missing: "no sensor reports it, or not while these samples were taken", Unit: "W", Shape: metric.Scalar, Better: metric.Less,
			About: "The GPU’s power while the samples were taken, for engines on a GPU that reports it; otherwise what the system measures for processors and memory.",
		},
		{
			Name: Process, Title: "Assay’s memory", Group: metric.Memory, Unit: "B", Shape: metric.Scalar, Better: metric.Less,
			About: "Footprint of Assay’s process while the samples were taken; on Linux its resident memory.",
		},
		{
			Name: OwnCPU, Title: "Assay itself", Missing: "it could not be distinguished from the kernels", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "CPU time that Assay used besides the kernels while the samples were taken (sampling, monitor, window), as a share of that time; 100 % is one core.",
		},
		{
			Name: OwnTicks, Title: "Monitor readings", Unit: "1/s", Shape: metric.Scalar, Better: metric.Less,
			About: "How often the monitor read the machine, per second, while the samples were taken.",
		},
		{
			Name: OwnRedraws, Title: "Redraws", Unit: "1/s", Shape: metric.Scalar, Better: metric.Less,
			About: "How often the window redrew what had changed, per second, while the samples were taken; 0 without a window.",
		},
		{
			Name: OwnSource, Title: "Assay itself, source", Shape: metric.Text,
			About: "How Assay’s own CPU time was counted, or why it is not available.",
		},
		{
			Name: AnchorDrift, Title: "Anchor drift", Missing: "series, live tuning and runs without the anchor have none", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less,
			About: "How much slower the anchor, a fixed kernel, ran after the samples than at the start of the run: what throttling and other loads cost, whatever the sensors say.",
		},
		{
			Name: TimesAgain, Title: "Measured again", Shape: metric.Count, Better: metric.Less,
			About: "Earlier measurements of the case that were discarded because the anchor had drifted.",
		},
		{
			Name: CooledBefore, Title: "Cooled down", Unit: "s", Shape: metric.Scalar, Better: metric.Less,
			About: "How long the run cooled down until the anchor had recovered, before the case was measured.",
		},
		{
			Name: Duty, Title: "Duty", Unit: "ratio", Shape: metric.Scalar,
			About: "Share of the time that the device worked while the case was measured, where a duty cycle or a power cap kept it idle between bursts of samples.",
		},
		{
			Name: DutyLimit, Title: "Duty limit", Unit: "ratio", Shape: metric.Scalar,
			About: "Maximum share of the time that the device was allowed to work.",
		},
		{
			Name: DutyPower, Title: "Mean power", Unit: "W", Shape: metric.Interval, Better: metric.Less,
			About: "Mean power while the case was measured with a duty cycle or a power cap, pauses included, by the device’s energy counter.",
		},
		{
			Name: PowerCap, Title: "Power cap", Unit: "W", Shape: metric.Scalar,
			About: "Limit of the mean power, enforced by pauses.",
		},
	}
}

// Metrics lists the metrics that results of every workload can have, in the order in which files and tables show them.
func Metrics() metric.List {
	return slices.Concat(figures(), besides(), placement().In(metric.Memory), specified().In(metric.Memory), energies().In(metric.Power), surroundings().In(metric.Counters))
}

func figures() metric.List {
	return metric.List{
		{
			Name: Time, Title: "Time", Unit: "s", Shape: metric.Interval, Better: metric.Less, Shown: true,
			About: "Median time of a repetition.",
		},
		{
			Name: KernelTimes, Title: "Kernel times", Shape: metric.Text,
			Missing: "kernels are timed one by one where a repetition launches several, on an engine that times stages, and not in short measurements",
			About:   "Time of each kernel of a repetition by the device’s stage counters, in a separate pass after the samples, or why it is not available. They add up to more than the repetition where kernels run side by side.",
		},
		{
			Name: Samples, Title: "Samples", Shape: metric.Count, Shown: true, Spare: 8,
			About: "Number of samples.",
		},
		{
			Name: LowerQuartile, Title: "Lower quartile", Unit: "s", Shape: metric.Scalar, Better: metric.Less,
			About: "Lower quartile of the time of a repetition: a quarter of the samples are below it.",
		},
		{
			Name: UpperQuartile, Title: "Upper quartile", Unit: "s", Shape: metric.Scalar, Better: metric.Less,
			About: "Upper quartile of the time of a repetition: a quarter of the samples are above it.",
		},
		{
			Name: Outliers, Title: "Outliers", Shape: metric.Count, Better: metric.Less,
			About: "Samples far from the others; counted and kept.",
		},
		{
			Name: Warmups, Title: "Warm-up", Group: metric.Counters, Shape: metric.Count,
			About: "Samples discarded before measuring.",
		},
		{
			Name: Repetitions, Title: "Repetitions", Group: metric.Counters, Shape: metric.Count,
			About: "Repetitions per sample.",
		},
		{
			Name: Throughput, Title: "Throughput", Unit: "FLOP/s", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Arithmetic operations per second at the median time.", Of: Ops, Per: Time, Phrase: "%s",
		},
		{
			Name: Bandwidth, Title: "Bandwidth", Unit: "B/s", Shape: metric.Interval, Better: metric.More, Shown: true, Spare: 5,
			About: "Modeled minimum memory traffic per second at the median time; 1 GB is 10⁹ bytes.", Of: Bytes, Per: Time,
		},
		{
			Name: ItemRate, Title: "Items/s", Unit: "1/s", Shape: metric.Interval, Better: metric.More, Shown: true, Spare: 4,
			About: "Items processed per second at the median time.", Of: Items, Per: Time,
		},
		{
			Name: Speedup, Title: "Speedup", Unit: "×", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Time of the baseline variant divided by this one's, from paired samples.",
		},
		{
			Name: ErrorMax, Title: "Max error", Shape: metric.Scalar, Better: metric.Less, Shown: true, Spare: 3,
			About: "Largest difference of a verified output from the float64 reference.",
		},
		{
			Name: ErrorRel, Title: "Relative error", Shape: metric.Scalar, Better: metric.Less,
			About: "Largest difference of a verified output from the float64 reference, relative to its magnitude.",
		},
		{
			Name: Compared, Title: "Elements compared", Group: metric.Counters, Shape: metric.Count,
			About: "Output elements that each verification compares with the float64 reference, different ones each time.",
		},
		{
			Name: Outputs, Title: "Output elements", Group: metric.Counters, Shape: metric.Count,
			About: "Elements of all verified outputs; each is checked to have been written.",
		},
		{
			Name: Ops, Title: "Operations", Group: metric.Counters, Unit: "FLOP", Shape: metric.Scalar, Work: true,
			About: "Arithmetic operations per repetition by the operation’s definition, whatever the implementation does; integer operations count too.",
		},
		{
			Name: Bytes, Title: "Traffic", Group: metric.Memory, Unit: "B", Shape: metric.Scalar, Better: metric.Less, Work: true,
			About: "Modeled minimum memory traffic per repetition.",
		},
		{
			Name: Items, Title: "Items per repetition", Group: metric.Counters, Shape: metric.Scalar, Work: true,
			About: "Items processed per repetition.",
		},
		{
			Name: Dispatches, Title: "Dispatches", Group: metric.Counters, Shape: metric.Count, Better: metric.Less,
			About: "Kernels launched per repetition.",
		},
		{
			Name: BytesSaved, Title: "Traffic saved", Group: metric.Memory, Unit: "B", Shape: metric.Scalar, Better: metric.More,
			About: "Memory traffic saved relative to the baseline variant.",
		},
		{
			Name: DispatchesSaved, Title: "Dispatches saved", Group: metric.Counters, Shape: metric.Count, Better: metric.More,
			About: "Kernel launches saved relative to the baseline variant.",
		},
		{
			Name: Clock, Title: "Clock", Shape: metric.Text,
			About: "“host” where the time is the host’s, from beginning to end; otherwise it is by the device’s own clock.",
		},
		{
			Name: Tuned, Title: "Tuned", Shape: metric.Text, Shown: true, Spare: 2,
			About: "Kernels that tuning chose in place of the default, and how much faster each was when it was chosen.",
		},
	}
}

// MetricsOf lists the metrics that results of these workloads can have: Metrics, and those that the workloads declare.
func MetricsOf(all []Workload) metric.List {
	list := Metrics()
	for i := range all {
		list = list.With(all[i].Metrics...)
	}
	return list
}
