package gpu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestErrorKeepsItsCause(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "x.metallib", Err: syscall.ENOSPC}
	for name, err := range map[string]error{
		"%v":      Errorf(ErrExecution, "capture", "", "x: %v", full),
		"%w":      Errorf(ErrExecution, "capture", "", "x: %w", full),
		"wrapped": fmt.Errorf("run: %w", Errorf(ErrExecution, "capture", "", "x: %v", full)),
		"nested":  Errorf(ErrExecution, "submit", "", "y: %v", Errorf(ErrOutOfMemory, "allocate", "", "x: %v", full)),
	} {
		if !errors.Is(err, ErrExecution) || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v is not both of its kind and its cause", name, err)
		}
		var path *fs.PathError
		if !errors.As(err, &path) || path != full {
			t.Errorf("%s: %v does not hold the path error", name, err)
		}
		if errors.Is(err, ErrCompile) {
			t.Errorf("%s: %v is of a kind that nobody gave it", name, err)
		}
	}
}

func TestErrorKeepsEveryCause(t *testing.T) {
	err := Errorf(ErrTimeout, "wait", "", "%v, then %v after %d tries", context.DeadlineExceeded, syscall.EINTR, 3)
	for _, want := range []error{ErrTimeout, context.DeadlineExceeded, syscall.EINTR} {
		if !errors.Is(err, want) {
			t.Errorf("%v is not %v", err, want)
		}
	}
	const text = "wait: timed out: context deadline exceeded, then interrupted system call after 3 tries"
	if err.Error() != text {
		t.Errorf("it reads %q, want %q", err, text)
	}
}

func TestErrorWithoutCause(t *testing.T) {
	err := Errorf(ErrRange, "read", "", "%d B", 3)
	if err.Cause != nil || !errors.Is(err, ErrRange) || err.Error() != "read: out of range: 3 B" {
		t.Errorf("%v, cause %v", err, err.Cause)
	}
}
