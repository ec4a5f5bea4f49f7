package cpu

import "golang.org/x/sys/unix"

// lastLevelCache is the size of the last cache before memory that macOS tells of, in bytes; 0: unknown. Apple's
// processors do not tell the size of their system-level cache, and their L2 does not bound it.
func lastLevelCache() int64 {
	n, err := unix.SysctlUint64("hw.l3cachesize")
	if err != nil {
		return 0
	}
	return int64(n)
}
