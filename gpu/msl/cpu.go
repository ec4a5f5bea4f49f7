package msl

import (
	"os"
	"runtime"
	"strings"
)

// hostCPU names the processor that -march=native means, so that a cache which moves to another machine is not used there.
func hostCPU() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for _, l := range lines(string(b)) {
		if name, value, ok := strings.Cut(l, ":"); ok && (strings.TrimSpace(name) == "flags" || strings.TrimSpace(name) == "Features") {
			return runtime.GOARCH + value
		}
	}
	return runtime.GOARCH
}
