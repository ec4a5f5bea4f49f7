package cpu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/shirou/gopsutil/v3/mem"
)

// readMemory queries the kernel and the control group of a container.
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
	return limited(m)
}

// limited applies the limits of the control group, if there are any.
func limited(m systemMemory) (systemMemory, error) {
	var text [3]string
	for i, file := range []string{"max", "current", "stat"} {
		b, err := os.ReadFile("/sys/fs/cgroup/memory." + file)
		if i == 0 && errors.Is(err, fs.ErrNotExist) { // the usual case
			return m, nil
		}
		if err != nil {
			return systemMemory{}, fmt.Errorf("system memory: %w", err)
		}
		text[i] = string(b)
	}
	return m.limit(cgroup{text[0], text[1], text[2]}), nil
}

func deviceName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if name := parseCPUName(text); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH + " processor"
}
