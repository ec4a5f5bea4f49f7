package target

/*
#include "libproc_darwin.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// libproc is macOS's library for process information.
type libproc struct{ user uint32 }

func newSystem() system { return libproc{uint32(os.Geteuid())} }

func (libproc) sources() sources {
	return sources{
		process: "proc_pidinfo PROC_PIDTASKALLINFO", footprint: "proc_pid_rusage ri_phys_footprint", resident: "proc_pid_rusage ri_resident_size",
		anonymous: "proc_pid_rusage", swap: "proc_pid_rusage", handles: "proc_pidinfo PROC_PIDLISTFDS",
	}
}

func (l libproc) processes() ([]Process, error) {
	n := C.assay_processes(nil, 0)
	if n <= 0 {
		return nil, errors.New("proc_listallpids lists nothing")
	}
	pids := make([]C.int, int(n)+64) // more may have started since
	n = C.assay_processes(&pids[0], C.int(len(pids)))
	var out []Process
	for _, pid := range pids[:max(0, min(int(n), len(pids)))] {
		var p C.assay_process
		if C.assay_process_read(pid, &p) != 0 {
			continue // it has ended since
		}
		out = append(out, processOf(&p, l.user))
	}
	return out, nil
}

// process is part of system.
func (l libproc) process(pid int) (Process, error) {
	var p C.assay_process
	if code := C.assay_process_read(C.int(pid), &p); code != 0 {
		return Process{}, fmt.Errorf("proc_pidinfo: %w", syscall.Errno(code))
	}
	return processOf(&p, l.user), nil
}

func processOf(p *C.assay_process, user uint32) Process {
	return Process{
		PID: int(p.pid), Parent: int(p.parent), Group: int(p.group), Start: uint64(p.start), Name: C.GoString(&p.name[0]),
		Seconds: float64(p.nanoseconds) / 1e9, Threads: int(p.threads), Own: uint32(p.user) == user, ended: p.ended != 0,
	}
}

// Reasons why macOS does not report a figure.
var (
	errNoAnonymous = errors.New("macOS does not report it for another process; the footprint excludes files")
	errNoSwap      = errors.New("macOS counts compressed and swapped memory in the footprint")
	errNoGPU       = errors.New("macOS counts a process’s GPU memory in its footprint and does not report it separately")
)

// usage is part of system.
func (l libproc) usage(pid int, memory bool) (u usage, err error) {
	var m C.assay_memory
	code := syscall.Errno(C.assay_memory_read(C.int(pid), &m))
	switch {
	case code == syscall.ESRCH:
		return u, fmt.Errorf("process %d has ended", pid)
	case code != 0:
		err := fmt.Errorf("proc_pid_rusage: %w", code)
		if code == syscall.EPERM {
			err = errors.New("readable only by its owner and root")
		}
		u.footprint, u.resident = missing(err), missing(err)
	default:
		u.footprint, u.resident = known(float64(m.footprint)), known(float64(m.resident))
	}
	u.anonymous, u.swap = missing(errNoAnonymous), missing(errNoSwap)
	if n := C.assay_handles(C.int(pid)); n >= 0 {
		u.handles = known(float64(n))
	} else {
		u.handles = missing(errors.New("readable only by its owner and root"))
	}
	return u, nil
}

func (libproc) gpu([]int) gpuMemory {
	return gpuMemory{amount: missing(errNoGPU), source: "proc_pid_rusage"}
}
