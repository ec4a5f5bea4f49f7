package own

import "golang.org/x/sys/unix"

// limitMemory bounds what this process can write to. What it maps and never touches, as drivers do, does not count. The error,
// if there is a lower limit already, does not matter.
func limitMemory(bytes int64) {
	limit := uint64(bytes)
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit})
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
