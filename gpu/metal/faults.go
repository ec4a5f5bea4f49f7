package metal

import (
	"errors"
	"fmt"
	"strings"

	"assay/gpu"
)

// outcome is how a command buffer ended.
type outcome struct {
	failed     bool
	inMetal    bool // code is a MTLCommandBufferError
	code       int64
	start, end float64 // of the device's work, seconds of the host's clock; 0: not reported
	begun      float64 // before encoding, on the same clock
	wall       float64 // seconds from then to completion
	text       string  // the system's error message
	encoder    string  // label of the encoder that faulted, if it is reported
}

// Codes of MTLCommandBufferError, by MTLCommandBuffer.h; the last is not documented.
const (
	codeInternal        = 1
	codeTimeout         = 2
	codePageFault       = 3
	codeAccessRevoked   = 4
	codeNotPermitted    = 7
	codeOutOfMemory     = 8
	codeInvalidResource = 9
	codeMemoryless      = 10
	codeDeviceRemoved   = 11
	codeStackOverflow   = 12
	codeInteractivity   = 14
)

// nativeError is the error of an Objective-C call.
type nativeError struct {
	text string
	code int64
}

func (e *nativeError) Error() string { return e.text }

// The bridge's own error codes, as in bridge.h.
const (
	codeUnsupported = -1
	codeNoMemory    = -2
)

// refusal is the gpu error kind of an error that occurred before the commit.
func refusal(err error) error {
	var native *nativeError
	if errors.As(err, &native) {
		switch native.code {
		case codeUnsupported:
			return gpu.ErrUnsupported
		case codeNoMemory:
			return gpu.ErrOutOfMemory
		}
	}
	return gpu.ErrExecution
}

// effect is what a fault means for the engine.
type effect uint8

const (
	passing effect = iota // the next command buffer may succeed
	suspect               // the device is lost if this occurs again before any work succeeds
	losing                // the device is lost
)

type fault struct {
	kind   error
	effect effect
	about  string
}

// classify maps the error of a command buffer to a gpu error kind.
func classify(o outcome) fault {
	if strings.Contains(o.text, "ImpactingInteractivity") {
		return interactivity()
	}
	if !o.inMetal {
		return fault{gpu.ErrExecution, passing, "an error of unknown kind"}
	}
	switch o.code {
	case codeInternal:
		return fault{gpu.ErrExecution, passing, "internal error of the driver"}
	case codeTimeout:
		return fault{gpu.ErrTimeout, losing, "the system stopped it: it ran too long"}
	case codePageFault:
		return fault{gpu.ErrExecution, passing, "page fault: access outside of the buffers"}
	case codeAccessRevoked:
		return fault{gpu.ErrExecution, suspect, "the system refuses this process's work after earlier faults"}
	case codeNotPermitted:
		return fault{gpu.ErrUnsupported, passing, "this process may not use the device"}
	case codeOutOfMemory:
		return fault{gpu.ErrOutOfMemory, passing, "there was not enough memory to run it"}
	case codeInvalidResource:
		return fault{gpu.ErrExecution, passing, "a buffer was gone before it ran"}
	case codeMemoryless:
		return fault{gpu.ErrExecution, passing, "an internal resource limit was reached"}
	case codeDeviceRemoved:
		return fault{gpu.ErrDeviceLost, losing, "the device was removed"}
	case codeStackOverflow:
		return fault{gpu.ErrExecution, passing, "stack overflow in a kernel"}
	case codeInteractivity:
		return interactivity()
	}
	return fault{gpu.ErrExecution, passing, "an error that Metal's headers do not list"}
}

// interactivity is the undocumented error 0x0e, which dispatches that take seconds can get.
func interactivity() fault {
	return fault{
		gpu.ErrTimeout, passing,
		"the system stopped it to keep the display responsive; one dispatch should take less than 100 ms",
	}
}

// failure is the gpu error for a failed command buffer; it names the work in it.
func failure(o outcome, f fault, op, work string) error {
	detail := fmt.Sprintf("%s (code %d: %s)", f.about, o.code, o.text)
	if o.encoder != "" {
		detail += fmt.Sprintf("; the fault is in encoder %q", o.encoder)
	}
	return gpu.Errorf(f.kind, op, work, "%s", detail)
}
