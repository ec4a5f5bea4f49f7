package msl

import (
	"os"
	"runtime"
	"strings"
)

// nativeCPU is the option that compiles for this processor: its name differs between architectures.
func nativeCPU() string {
	if runtime.GOARCH == "arm64" {
		return "-mcpu=native"
	}
	return "-march=native"
}

// hostCPU names the processor that nativeCPU means, so that a cache which moves to another machine is not used there.
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
