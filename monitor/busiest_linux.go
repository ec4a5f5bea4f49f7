package monitor

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"syscall"
)

// statTicks is how many ticks of /proc/PID/stat are a second, on all architectures.
const statTicks = 100

// coreSeconds reads how much core time each other process has used so far, into one buffer: what this takes is garbage after each
// window of a series.
type coreSeconds struct{ buf []byte }

// read leaves processes out that cannot be read.
func (c *coreSeconds) read(context.Context) map[int32]float64 {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()                //nolint:errcheck // read only
	names, _ := dir.Readdirnames(-1) // those that were read, if not all were
	own := os.Getpid()
	used := make(map[int32]float64, len(names))
	for _, name := range names {
		pid, err := strconv.ParseInt(name, 10, 32)
		if err != nil || int(pid) == own {
			continue
		}
		if seconds, ok := statSeconds(c.stat("/proc/" + name + "/stat")); ok {
			used[int32(pid)] = seconds
		}
	}
	return used
}

// stat is what a file holds, valid until the next call; nil if it cannot be read.
func (c *coreSeconds) stat(path string) []byte {
	if c.buf == nil {
		c.buf = make([]byte, 1024)
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd) //nolint:errcheck // read only
	n, err := syscall.Read(fd, c.buf)
	if err != nil {
		return nil
	}
	return c.buf[:n]
}

// statSeconds is the core time in /proc/PID/stat, as user and in the system: the 14th and 15th field. The second is the name, which
// may have spaces and parentheses.
func statSeconds(stat []byte) (seconds float64, ok bool) {
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	for range 11 { // from the state on
		rest = bytes.TrimLeft(rest, " ")
		rest = rest[max(0, bytes.IndexByte(rest, ' ')):]
	}
	user, rest, ok := number(rest)
	if !ok {
		return 0, false
	}
	system, _, ok := number(rest)
	return float64(user+system) / statTicks, ok
}
