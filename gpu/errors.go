package gpu

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of engines. Engines wrap them in *Error with the kernel's name and the sizes; test with errors.Is.
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

// Error is an engine error with its context.
type Error struct {
	Kind   error  // one of the Err values
	Op     string // what was attempted: "allocate", "dispatch"
	Kernel string // the kernel's name, if the error concerns one
	Detail string // sizes, limits, the compiler's own text
	Cause  error  // the underlying error, whose text is in Detail; nil: nothing beyond the kind
}

// Error joins the parts into one line, although the detail may have more.
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

// Unwrap returns the kind and the cause, if any, so errors.Is and errors.As find both.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Errorf returns an *Error with a formatted detail. Errors among args become its cause, whatever verb prints them.
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
