package cpu

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// readMemory counts all physical memory as available, since macOS compresses and swaps before an allocation fails. Resident
// memory is then irrelevant.
func readMemory() (systemMemory, error) {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return systemMemory{}, fmt.Errorf("system memory: %w", err)
	}
	return systemMemory{total: int64(total), available: int64(total)}, nil
}

func deviceName() string {
	if name, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH + " processor"
}
