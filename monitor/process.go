package monitor

import (
	"fmt"
	"runtime/metrics"
)

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

// decodeStatm reads the resident pages of /proc/self/statm, its second number, and how many of them are shared, its third: those
// of files, such as code of libraries, and of shared memory.
func decodeStatm(b []byte) (resident, shared uint64, err error) {
	var n [3]uint64
	for i := range n {
		var ok bool
		if n[i], b, ok = number(b); !ok || n[i] > 1<<48 {
			return 0, 0, fmt.Errorf("/proc/self/statm has no number %d of pages", i+1)
		}
	}
	if n[2] > n[1] {
		return 0, 0, fmt.Errorf("/proc/self/statm has %d shared of %d resident pages", n[2], n[1])
	}
	return n[1], n[2], nil
}
