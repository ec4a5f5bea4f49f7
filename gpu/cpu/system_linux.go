package cpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/shirou/gopsutil/v3/mem"

	"assay/internal/cgroup"
)

// readMemory queries the kernel and the control groups of this process.
func readMemory() (systemMemory, error) {
	v, err := mem.VirtualMemory()
	if err != nil {
		return systemMemory{}, fmt.Errorf("system memory: %w", err)
	}
	if v.Total == 0 || v.Available == 0 {
		return systemMemory{}, errors.New("system memory: the kernel tells neither total nor available memory")
	}
	m := systemMemory{total: int64(v.Total), available: int64(v.Available)}
	statm, _ := os.ReadFile("/proc/self/statm") // if unavailable, no buffer counts as touched
	m.resident = parseStatm(string(statm), int64(os.Getpagesize()))
	if limit, limited := cgroup.Open("/proc", "/sys").Memory(); limited {
		m = m.within(limit)
	}
	return m, nil
}

func deviceName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if name := parseCPUName(text); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH + " processor"
}
