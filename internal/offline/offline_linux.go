// Package offline lets tests show that nothing opens a network socket.
package offline

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// In struct seccomp_data: the system call number, and the low half of its first argument.
const (
	callAt  = 0
	firstAt = 16
)

// Forbid makes the kernel kill this process with SIGSYS when any of its threads, or a program that it starts, opens an IPv4, IPv6 or
// packet socket. It cannot be undone.
func Forbid() error {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	program := []unix.SockFilter{load(callAt)}
	isnot := func(v uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: v, Jf: skip}
	}
	families := []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_PACKET}
	program = append(program, isnot(unix.SYS_SOCKET, uint8(1+2*len(families))), load(firstAt))
	for _, f := range families {
		program = append(program, isnot(f, 1), unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_KILL_PROCESS})
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid sockets: %w", err)
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("forbid sockets: %w", errno)
	}
	return nil
}
