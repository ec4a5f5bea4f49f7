package remote

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The process that supervises a job holds a lock on a file with its ID, which the system releases however the process ends.

// hold takes the lock of a job until free is called.
func hold(dir string) (free func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, aliveFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("job %s is supervised already: %w", filepath.Base(dir), err), f.Close())
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// lock locks a file; others hold the lock for microseconds, to see whether it is locked.
func lock(f *os.File) (err error) {
	for range 200 {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// alive reports whether a process supervises the job.
func alive(dir string) bool {
	f, err := os.Open(filepath.Join(dir, aliveFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// supervisor is the ID of the process that supervises the job.
func supervisor(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, aliveFile))
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 2 {
		return 0, fmt.Errorf("job %s does not report its process", filepath.Base(dir))
	}
	return pid, nil
}
