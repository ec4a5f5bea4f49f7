package main

import (
	"os"
	"runtime/debug"

	"assay/internal/cgroup"
)

// limitHeap has garbage collected before the heap takes a third of what the container allows. The rest is for buffers, which
// the heap's limit does not see, and the kernel kills what exceeds the container's.
func limitHeap() {
	if _, set := os.LookupEnv("GOMEMLIMIT"); set {
		return
	}
	if m, limited := cgroup.Open("/proc", "/sys").Memory(); limited {
		debug.SetMemoryLimit(m.Limit / 3)
	}
}
