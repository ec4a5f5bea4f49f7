package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A run in progress has a lock on its events.jsonl, which the system releases however the process ends. So a
// bundle that says Running but has no lock was cut off.

// lock locks a file while it is open. If the file system does not support locks the run continues without.
func lock(f *os.File) {
	for range 50 { // another process checks it for microseconds
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Alive reports whether a process, this one or another, is writing the bundle in a folder.
func Alive(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, eventsFile), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}
