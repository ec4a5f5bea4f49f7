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
	// ErrRestart is the cause of an ErrDeviceLost after which only another process can use the device.
	ErrRestart = errors.New("restart Assay")
)

// Error is a seam error with its circumstances.
type Error struct {
	Kind   error  // one of the Err values
	Op     string // what was attempted: "allocate", "dispatch"
	Kernel string // the kernel's name, if one is concerned
	Detail string // sizes, limits, the compiler's own text
	Cause  error  // what made it fail, whose text is in Detail; nil: nothing beyond the kind
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

// Unwrap is the kind and, where there is one, the cause: errors.Is and errors.As find both.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Errorf makes an *Error with a formatted detail. Errors among args become its cause, whatever verb prints them.
func Errorf(kind error, op, kernel, format string, args ...any) *Error {
	return &Error{
		Kind: kind, Op: op, Kernel: kernel, Detail: fmt.Errorf(format, args...).Error(), Cause: causeOf(args),
	}
}

// causeOf joins the errors among args; nil if there are none.
func causeOf(args []any) error {
	var causes []error
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			causes = append(causes, err)
		}
	}
	if len(causes) == 1 {
		return causes[0]
	}
	return errors.Join(causes...)
}
