package app

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// Names of the log files, in Paths.Logs.
const (
	logFile    = "assay.log"
	oldLogFile = "assay.old.log"
)

// maxLog is how large the log may be, in bytes, when the next start begins a new one; the one before it is kept.
const maxLog = 1 << 20

// StartLog appends what the process says from now on to a file in dir: lines of package log, which Fyne writes too,
// and the goroutines' stacks where the process crashes, also in C. Both still go to standard error. Nobody sees that
// of an app that was started with a double click.
func StartLog(dir, version string) error {
	f, err := openLog(dir)
	if err != nil {
		return fmt.Errorf("keep a log: %w", err)
	}
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil { // it keeps its own copy of f
		return fmt.Errorf("keep a log of crashes in %s: %w", f.Name(), err)
	}
	log.SetOutput(io.MultiWriter(os.Stderr, f)) // f stays open as long as the process
	own := log.New(f, "", log.Flags())
	own.Printf("assay %s started, process %d, %s %s/%s", version, os.Getpid(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// openLog opens the log in dir for appending. One that has become large is put aside first.
func openLog(dir string) (*os.File, error) {
	if dir == "" {
		return nil, fmt.Errorf("no folder for it: the home folder is unknown")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, logFile)
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, filepath.Join(dir, oldLogFile)); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
}
