package gpu

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of the seam. Engines wrap them in *Error with the kernel's name and the sizes; test with errors.Is.
var (
	ErrOutOfMemory = errors.New("out of memory")
	ErrDeviceLost  = errors.New("device lost")
	ErrCompile     = errors.New("kernel does not compile")
	ErrExecution   = errors.New("command buffer failed")
	ErrUnsupported = errors.New("not supported")
	ErrTimeout     = errors.New("timed out")
	ErrReleased    = errors.New("buffer was released")
	ErrRange       = errors.New("out of range")
	ErrInvalid     = errors.New("invalid argument")
	ErrClosed      = errors.New("closed")
)

// Error is a seam error with its circumstances.
type Error struct {
	Kind   error  // one of the Err values
	Op     string // what was attempted: "allocate", "dispatch"
	Kernel string // the kernel's name, if one is concerned
	Detail string // sizes, limits, the compiler's own text
}

// Error puts the parts in one line (the detail may have more).
func (e *Error) Error() string {
	parts := []string{e.Op}
	if e.Kernel != "" {
		parts[0] += " " + e.Kernel
	}
	parts = append(parts, e.Kind.Error())
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	return strings.Join(parts, ": ")
}

// Unwrap is the seam error.
func (e *Error) Unwrap() error { return e.Kind }

// Errorf makes an *Error with a formatted detail.
func Errorf(kind error, op, kernel, format string, args ...any) *Error {
	return &Error{Kind: kind, Op: op, Kernel: kernel, Detail: fmt.Sprintf(format, args...)}
}
