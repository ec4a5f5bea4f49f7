//go:build !linux

package own

import "golang.org/x/sys/unix"

// limitMemory only keeps crashes from being written to disk: macOS cannot limit a process's memory.
func limitMemory(int64) { _ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }
