package workloads

import "assay/internal/metric"

// Metrics of how long the same case and variant takes on another engine, in runs with --beside.
const (
	BesideTime    metric.Name = "beside_time_s"
	BesideSpeedup metric.Name = "beside_speedup"
	BesideOn      metric.Name = "beside"
)

// besides lists them.
func besides() metric.List {
	return metric.List{
		{
			Name: BesideTime, Title: "Time on other engine", Unit: "s", Shape: metric.Interval, Better: metric.Less,
			About: "Median time of a repetition of the same case and variant on the other engine, which “Beside” names.",
		},
		{
			Name: BesideSpeedup, Title: "Speedup over other engine", Unit: "×", Shape: metric.Interval, Better: metric.More, Shown: true, Spare: 2,
			About: "Time on the other engine, which “Beside” names, divided by this one’s; measured one after the other, not interleaved.",
		},
		{
			Name: BesideOn, Title: "Beside", Shape: metric.Text,
			About: "The other engine with its device, threads and build, and what disturbed it, or why there is no figure.",
		},
	}
}
