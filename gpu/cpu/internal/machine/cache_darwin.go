package machine

import "golang.org/x/sys/unix"

// LastLevelCache is the size of the last cache before memory that macOS reports, in bytes; 0: unknown. Apple's processors do
// not report the size of their system-level cache, which may be larger than the L2.
func LastLevelCache() int64 {
	n, err := unix.SysctlUint64("hw.l3cachesize")
	if err != nil {
		return 0
	}
	return int64(n)
}
