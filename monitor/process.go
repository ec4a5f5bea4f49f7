package monitor

import "runtime/metrics"

// runtimeNames are the inexpensive metrics of the Go runtime, in the order of runtimeReadings.
func runtimeSamples() []metrics.Sample {
	return []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/sched/goroutines:goroutines"}}
}

// runtimeReadings appends the Go heap and the number of goroutines. It reuses the samples.
func runtimeReadings(samples []metrics.Sample, to []Reading) []Reading {
	metrics.Read(samples)
	templates := [...]Reading{
		Template(ProcessHeap, "runtime/metrics"), Template(ProcessGoroutines, "runtime/metrics"),
	}
	for i, r := range templates {
		if samples[i].Value.Kind() != metrics.KindUint64 {
			to = append(to, r.unavailable("this Go runtime does not report it"))
			continue
		}
		to = append(to, r.ok(float64(samples[i].Value.Uint64())))
	}
	return to
}
