package main

import (
	"os"
	"runtime/debug"

	"assay/internal/cgroup"
)

// limitHeap makes the garbage collector run before the heap takes a third of the container's limit. The rest is for buffers, which
// the heap limit does not cover; the kernel kills a process that exceeds the container's limit.
func limitHeap() {
	if _, set := os.LookupEnv("GOMEMLIMIT"); set {
		return
	}
	if m, limited := cgroup.Open("/proc", "/sys").Memory(); limited {
		debug.SetMemoryLimit(m.Limit / 3)
	}
}
