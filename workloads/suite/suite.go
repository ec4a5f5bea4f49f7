// Package suite lists the workloads. Each family is a separate package, and none imports another.
package suite

import (
	"assay/workloads"
	"assay/workloads/suite/controls"
	"assay/workloads/suite/graphs"
	"assay/workloads/suite/latency"
	"assay/workloads/suite/memory"
	"assay/workloads/suite/patterns"
	"assay/workloads/suite/precision"
	"assay/workloads/suite/stability"
	"assay/workloads/suite/throughput"
	"assay/workloads/suite/tuning"
)

// All lists every workload, grouped.
func All() []workloads.Workload {
	return []workloads.Workload{
		throughput.Batching(), throughput.Matmul(), throughput.Tiles(), throughput.GEMV(), throughput.Attention(),
		throughput.Convolution(), throughput.Fusion(), throughput.Normalization(), throughput.Reduction(), throughput.Elementwise(),
		throughput.Broadcast(), throughput.Entropy(),
		patterns.Patterns(), patterns.Training(), graphs.Graphs(),
		throughput.Published(),
		tuning.Tuning(),
		precision.Quantization(),
		patterns.Classifier(),
		latency.Launch(),
		latency.Overlap(),
		latency.Compile(),
		memory.Transfers(), memory.Bandwidth(), memory.Peaks(), memory.Pool(), memory.Plan(), memory.Concurrency(), memory.Adaptive(),
		stability.Soak(),
		controls.Leak(), controls.Wrong(), controls.Same(), controls.Throttle(), controls.Hog(),
	}
}
