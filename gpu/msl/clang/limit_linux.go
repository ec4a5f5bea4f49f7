package clang

import "golang.org/x/sys/unix"

// limitMemory bounds the address space of clang: templates and macros of a source could take all memory. The error, if there
// is a lower limit already, does not matter.
func limitMemory(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: maxMemory, Max: maxMemory}, nil)
}
