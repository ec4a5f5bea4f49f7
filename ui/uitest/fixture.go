package uitest

import (
	"math"
	"strconv"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// Epoch is when everything in the tests happens.
var Epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Snapshot is second i of a machine at work.
func Snapshot(i int) monitor.Snapshot {
	wave := math.Sin(float64(i) / 7)
	value := func(metric, unit, source string, v float64) monitor.Reading {
		return monitor.Reading{
			Metric: metric, Title: metric, Unit: unit, Source: source, Value: v, Status: monitor.OK, Provenance: monitor.Measured,
		}
	}
	missing := func(metric, why string) monitor.Reading {
		return monitor.Reading{Metric: metric, Title: metric, Status: monitor.Unavailable, Reason: why}
	}
	return monitor.Snapshot{Time: Epoch.Add(time.Duration(i) * time.Second), Readings: []monitor.Reading{
		value(monitor.EngineFlops, "FLOP/s", "completed dispatches × kernel operations", 2.4e11+4e10*wave),
		value(monitor.EngineBytes, "B/s", "completed dispatches × kernel bytes", 1.8e10+3e9*wave),
		value(monitor.PoolReuse, "ratio", "engine", 0.9+0.05*wave),
		value(monitor.EngineLive, "B", "engine", 6e7+1e7*wave),
		value(monitor.ProcessRSS, "B", "/proc/self/statm", 1.6e8+1e7*wave),
		value(monitor.ProcessCPU, "ratio", "/proc/self/stat", 0.031),
		value(monitor.HostOthers, "ratio", "/proc/stat minus getrusage", 0.06+0.02*wave),
		value(monitor.ProcessShare, "ratio", "/proc/stat, getrusage", 0.4+0.2*wave),
		value(monitor.HostMemoryFull, "ratio", "/proc/meminfo", 0.41+0.02*wave),
		value(monitor.MemoryPressure, "ratio", "/proc/pressure/memory", 0.002),
		missing(monitor.Temperature, "/sys/class/thermal has no sensor"),
		missing(monitor.ThermalState, "no heat sensor"),
		missing(monitor.Throttling, "the processor does not count it"),
	}}
}

// Interval is a median with an interval of a relative half width.
func Interval(median, spread float64) stats.Interval {
	return stats.Interval{Median: median, Lo: median * (1 - spread), Hi: median * (1 + spread)}
}

// resultID names the results of fixtures, whose runs measure each variant of a case once.
func resultID(name, variant string) string { return name + ", " + variant }

// SweepResult is a result of the batching workload.
func SweepResult(sweep, axis string, n int, gflops float64) workloads.Result {
	r := workloads.Result{
		Workload: "batching", Variant: "f32", Status: workloads.OK, Started: Epoch, Stop: measure.StopPrecision,
		Settings: []workloads.Setting{{Name: "sweep", Value: sweep}, {Name: axis, Value: n}}, Samples: make([]float64, 24),
	}
	r.Case = map[string]string{"matmul": "matmul ", "mlp": "mlp batch "}[sweep] + strconv.Itoa(n)
	r.ID = resultID(r.Case, r.Variant)
	ops, bytes, items := work(sweep, float64(n))
	measured(&r, Interval(ops/1e9/gflops, 0.006), ops, bytes, items, 1.2e-6)
	return r
}

// work returns the work of a case of the batching workload: a square GEMM of that size, or three layers of 512 units at that
// batch.
func work(sweep string, n float64) (ops, bytes, items float64) {
	if sweep == "mlp" {
		const width, layers = 512, 3
		return 2 * n * width * width * layers, 4 * layers * (width*width + 2*n*width), n
	}
	return 2 * n * n * n, 4 * 3 * n * n, 1
}

// Sweep returns the results of a run of the batching workload.
func Sweep() []workloads.Result {
	var list []workloads.Result
	for i, g := range []float64{21, 74, 131, 168, 181, 184} {
		list = append(list, SweepResult("matmul", "size", 64<<i, g))
	}
	for i, g := range []float64{4, 8, 15, 28, 50, 84, 110, 130} {
		list = append(list, SweepResult("mlp", "batch", 1<<i, g))
	}
	return list
}

// SweepMeta is the run of Sweep.
func SweepMeta() bundle.Meta {
	return bundle.Meta{
		ID: "20261120-120000-batching", Started: Epoch, Engine: gpu.Info{Engine: "cpu", Device: "Test CPU, 8 cores, AVX-512"},
		Jobs: []bundle.Job{{Workload: "batching"}},
	}
}
