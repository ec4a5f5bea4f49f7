package workloads

import "assay/internal/metric"

// Metrics of the results of every workload. SNR and the others of a format's loss are declared by their workload.
const (
	Time            metric.Name = "time_s"
	Samples         metric.Name = "samples"
	Outliers        metric.Name = "outliers"
	Warmups         metric.Name = "warmup_samples"
	Repetitions     metric.Name = "repetitions"
	Throughput      metric.Name = "flops_per_s"
	Bandwidth       metric.Name = "bytes_per_s"
	ItemRate        metric.Name = "items_per_s"
	Speedup         metric.Name = "speedup"
	ErrorMax        metric.Name = "error_max"
	ErrorRel        metric.Name = "error_rel"
	Ops             metric.Name = "ops"
	Bytes           metric.Name = "bytes"
	Items           metric.Name = "items"
	Dispatches      metric.Name = "dispatches"
	BytesSaved      metric.Name = "bytes_saved"
	DispatchesSaved metric.Name = "dispatches_saved"
)

// Metrics lists what the results of every workload can have, in the order in which files and tables show it.
func Metrics() metric.List {
	return metric.List{
		{
			Name: Time, Title: "Time", Unit: "s", Shape: metric.Interval, Better: metric.Less, Shown: true,
			About: "Median time of a repetition.",
		},
		{
			Name: Samples, Title: "Samples", Shape: metric.Count, Shown: true,
			About: "How many times it was measured.",
		},
		{
			Name: Outliers, Title: "Outliers", Shape: metric.Count, Better: metric.Less,
			About: "Samples far outside the others; they are counted and kept.",
		},
		{
			Name: Warmups, Title: "Warm-up", Shape: metric.Count,
			About: "Samples that were discarded before.",
		},
		{
			Name: Repetitions, Title: "Repetitions", Shape: metric.Count,
			About: "Repetitions of the work within one sample.",
		},
		{
			Name: Throughput, Title: "Throughput", Unit: "FLOP/s", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Arithmetic operations a second at the median time.", Of: Ops, Per: Time,
		},
		{
			Name: Bandwidth, Title: "Bandwidth", Unit: "B/s", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Minimum memory traffic, as modeled, a second at the median time; 1 GB is 10⁹ bytes.", Of: Bytes, Per: Time,
		},
		{
			Name: ItemRate, Title: "Items/s", Unit: "1/s", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Things processed a second at the median time.", Of: Items, Per: Time,
		},
		{
			Name: Speedup, Title: "Speed-up", Unit: "×", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Time of the variant that this one is compared with over its own, from samples taken side by side.",
		},
		{
			Name: ErrorMax, Title: "Max error", Shape: metric.Scalar, Better: metric.Less, Shown: true,
			About: "Largest difference of a verified output from the float64 reference.",
		},
		{
			Name: ErrorRel, Title: "Relative error", Shape: metric.Scalar, Better: metric.Less,
			About: "Largest difference of a verified output from the float64 reference, relative to its magnitude.",
		},
		{
			Name: Ops, Title: "Operations", Unit: "FLOP", Shape: metric.Scalar, Work: true,
			About: "Arithmetic operations of a repetition.",
		},
		{
			Name: Bytes, Title: "Traffic", Unit: "B", Shape: metric.Scalar, Better: metric.Less, Work: true,
			About: "Minimum memory traffic of a repetition, as modeled.",
		},
		{
			Name: Items, Title: "Items a repetition", Shape: metric.Scalar, Work: true,
			About: "Things processed in a repetition.",
		},
		{
			Name: Dispatches, Title: "Dispatches", Shape: metric.Count, Better: metric.Less,
			About: "Kernels launched in a repetition.",
		},
		{
			Name: BytesSaved, Title: "Traffic saved", Unit: "B", Shape: metric.Scalar, Better: metric.More,
			About: "How much less memory traffic than the variant that it is compared with.",
		},
		{
			Name: DispatchesSaved, Title: "Dispatches saved", Shape: metric.Count, Better: metric.More,
			About: "How many fewer kernels than the variant that it is compared with.",
		},
	}
}

// MetricsOf lists what the results of these workloads can have: Metrics, and those that the workloads declare.
func MetricsOf(all []Workload) metric.List {
	list := Metrics()
	for i := range all {
		list = list.With(all[i].Metrics...)
	}
	return list
}
