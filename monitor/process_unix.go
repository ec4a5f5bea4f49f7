//go:build linux || darwin

package monitor

import (
	"syscall"
	"time"
)

// processLoad is the process's CPU time from getrusage, which counts in µs where /proc counts in 10 ms.
type processLoad struct{ used rate }

func (p *processLoad) read() Reading {
	r := Template(ProcessCPU, "getrusage")
	seconds, err := OwnTime()
	if err != nil {
		return r.failed(err.Error())
	}
	cores, ok := p.used.next(seconds, time.Now())
	if !ok {
		return r.unavailable(needsTwo)
	}
	return r.ok(max(0, cores))
}

// OwnTime returns the CPU time of this process so far, in seconds.
func OwnTime() (float64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds(), nil
}
