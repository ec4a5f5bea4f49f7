package machine

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// ReadMemory counts all physical memory as available, since macOS compresses and swaps before an allocation fails. Resident
// memory is then irrelevant.
func ReadMemory() (Memory, error) {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return Memory{}, fmt.Errorf("system memory: %w", err)
	}
	return Memory{Total: int64(total), Available: int64(total)}, nil
}

// Name is the name of the processor.
func Name() string {
	if name, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil && name != "" {
		return name
	}
	return runtime.GOARCH + " processor"
}
