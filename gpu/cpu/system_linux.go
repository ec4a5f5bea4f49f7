package cpu

import (
	"fmt"
	"os"
	"runtime"
)

// readMemory asks the kernel, and the control group that a container runs in.
func readMemory() (systemMemory, error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return systemMemory{}, fmt.Errorf("system memory: %w", err)
	}
	m, err := parseMeminfo(text)
	if err != nil {
		return systemMemory{}, err
	}
	const group = "/sys/fs/cgroup/memory."
	most, err := os.ReadFile(group + "max")
	if err != nil { // no control group limits this process
		return m, nil //nolint:nilerr // absence is the usual case
	}
	current, err := os.ReadFile(group + "current")
	if err != nil {
		return systemMemory{}, fmt.Errorf("system memory: %w", err)
	}
	return m.limit(string(most), string(current)), nil
}

func deviceName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if name := parseCPUName(text); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH + " processor"
}
