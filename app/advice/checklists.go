package advice

import (
	"assay/monitor"
	"assay/workloads"
)

// Checklists lists all checklists.
func Checklists() []Checklist { return []Checklist{optimizing(), deploying()} }

// optimizing is the list of what to optimize on a GPU. Its lines follow the Metal Optimization Guide of Shvayambhu.
func optimizing() Checklist {
	return Checklist{
		Name: "optimize", Title: "Optimization", About: "What to check when optimizing work on a GPU: eight lines, each ticked where a measurement confirms it.",
		Jobs: []Job{
			{"batching", workloads.Values{"dtype": "both", "library": false, "min_size": 256, "max_size": 512, "min_batch": 1, "max_batch": 32}},
			{"fusion", workloads.Values{"pattern": "matmul+relu"}},
			{"pool", workloads.Values{"study": "batches"}},
			{"bandwidth", workloads.Values{"access": "patterns", "min_set": 4096, "max_set": 16384}},
		},
		Items: []Item{
			{"device", "Device placement", "All tensors are on the GPU.", "all results are measured on a GPU", onGPU},
			{"types", "Data types", "f16 for inference, and a suitable precision for training.", "f16 is measured against f32 and is faster", confirms("wide-format-measured", nil)},
			{"allocation", "Memory allocation", "Tensors are allocated up front, few at run time.", "preallocated buffers are measured against new ones and are faster", confirms("allocating", nil)},
			{"batch", "Batch sizing", "The batch suits the device.", "the curve over the batch has a knee and is not still rising at its end", kneeFound},
			{"fusion", "Kernel fusion", "Operations are combined where possible.", "one fused kernel is measured against separate dispatches and is faster", confirms("unfused", nil)},
			{
				"access", "Memory access", "Neighboring threads access neighboring elements.",
				"all memory-bound cases reach 60 % of the measured peak; without peaks, sequential access is measured to be faster than strided and random access", inOrder,
			},
			{
				"profile", "Profiling", "The work is monitored.", "the machine is read while kernels run",
				profiled(monitor.EngineFlops, monitor.GPUUtilization, monitor.HostCPU, monitor.Throttling),
			},
			{"cleanup", "Cleanup", "Tensors are released, caches are kept in check.", "the run ends without a leak", released},
		},
	}
}

// deploying is the list of what to verify before deploying. Its lines follow the Metal GPU Optimization Guide of TensorLogic.
func deploying() Checklist {
	return Checklist{
		Name: "deploy", Title: "Deployment", About: "What to verify before deploying kernels: eight lines, each ticked where a measurement confirms it.",
		Jobs: []Job{
			{"fusion", workloads.Values{"pattern": "matmul+relu"}},
			{"batching", workloads.Values{"sweep": "mlp", "min_batch": 1, "max_batch": 32}},
			{"elementwise", workloads.Values{"op": "add", "min_elements": 1000, "max_elements": 1000000}},
			{"transfers", workloads.Values{"part": "reuse"}},
			{"pool", workloads.Values{"study": "pooling", "profile": "training"}},
		},
		Items: []Item{
			{
				"fused", "Fused operations", "A matrix product and its activation are one kernel.", "a fused matmul with its epilogue is measured against separate dispatches and is faster",
				confirms("unfused", map[string]string{"pattern": "matmul+*"}),
			},
			{"batch", "Batch of 16 or more", "A model processes 16 items or more at once.", "an item is faster in batches of 16 or more than in smaller ones", bestFrom("batch", 16, "items")},
			{"elements", "100,000 elements or more", "An operation processes 100,000 elements or more where possible.", "an element is faster in vectors of 100,000 or more than in shorter ones", bestFrom("elements", 1e5, "elements")},
			{"transfers", "Few transfers", "Data moves between host and device as little as possible.", "use in place is measured against an upload and is faster", confirms("copied", nil)},
			{"resident", "Intermediate results on the GPU", "What the next operation needs stays on the device.", "using data that stays is faster than uploading it for each use", resident},
			{"pool", "Pool reuse above 60 %", "Training takes its buffers from the pool.", "60 % or more of the buffers of a training step come from the pool", pooledTraining},
			{"measured", "Benchmarked", "The critical operations are benchmarked.", "every result is verified and undisturbed", measured},
			{
				"memory", "Memory profiled", "Memory use under load is known.", "memory is read while kernels run",
				profiled(monitor.EngineLive, monitor.ProcessFootprint, monitor.ProcessRSS, monitor.EngineWorkingSet),
			},
		},
	}
}
