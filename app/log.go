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

// maxLog is the size of a log, in bytes, above which the next start begins a new one; the previous one is kept.
const maxLog = 1 << 20

// StartLog also writes log output to a file in dir from now on: lines of package log, which Fyne uses too, and the
// goroutines' stacks if the process crashes, even in C. Both still go to standard error, which nobody sees if the app
// was started with a double click.
func StartLog(dir, version string) error {
	f, err := openLog(dir)
	if err != nil {
		return fmt.Errorf("keep a log: %w", err)
	}
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil { // it duplicates f
		return fmt.Errorf("keep a log of crashes in %s: %w", f.Name(), err)
	}
	log.SetOutput(&withoutNoise{to: io.MultiWriter(os.Stderr, f)}) // f stays open as long as the process runs
	own := log.New(f, "", log.Flags())
	own.Printf("assay %s started, process %d, %s %s/%s", version, os.Getpid(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// openLog opens the log in dir for appending. A large log is rotated first.
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
