package machine

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/shirou/gopsutil/v3/mem"

	"assay/internal/cgroup"
)

// ReadMemory queries the kernel and the control groups of this process.
func ReadMemory() (Memory, error) {
	v, err := mem.VirtualMemory()
	if err != nil {
		return Memory{}, fmt.Errorf("system memory: %w", err)
	}
	if v.Total == 0 || v.Available == 0 {
		return Memory{}, errors.New("system memory: the kernel reports neither total nor available memory")
	}
	m := Memory{Total: int64(v.Total), Available: int64(v.Available)}
	statm, _ := os.ReadFile("/proc/self/statm") // if unavailable, no buffer counts as touched
	m.Resident = parseStatm(string(statm), int64(os.Getpagesize()))
	if limit, limited := cgroup.Open("/proc", "/sys").Memory(); limited {
		m = m.within(limit)
	}
	return m, nil
}

// Name is the name of the processor.
func Name() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if name := parseCPUName(text); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH + " processor"
}
