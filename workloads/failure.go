package workloads

import (
	"errors"
	"fmt"
	"syscall"

	"assay/gpu"
)

// FailureKind classifies failures that the user can do something about. It is stable: bundles store it.
type FailureKind string

// Kinds of failures. The zero value means no failure, or a failure of another kind.
const (
	WrongOutput   FailureKind = "wrong-output"
	NotSupported  FailureKind = "not-supported"
	OutOfMemory   FailureKind = "out-of-memory"
	DeviceLost    FailureKind = "device-lost"
	TimedOut      FailureKind = "timeout"
	CompileFailed FailureKind = "compile"
	DiskFull      FailureKind = "disk-full"
	NoTensor      FailureKind = "no-tensor"
	BadWeights    FailureKind = "bad-weights"
	NotExecuted   FailureKind = "command-buffer" // it failed on a device that is still present
)

// Title returns the kind in two or three words; "Error" for a failure of another kind.
func (k FailureKind) Title() string {
	for _, known := range []struct {
		kind  FailureKind
		title string
	}{
		{WrongOutput, "Wrong result"},
		{NotSupported, "Not supported"},
		{OutOfMemory, "Out of memory"},
		{DeviceLost, "Device lost"},
		{TimedOut, "Timed out"},
		{CompileFailed, "Kernel does not compile"},
		{DiskFull, "Disk full"},
		{NoTensor, "No such tensor"},
		{BadWeights, "Weights not read"},
		{NotExecuted, "Command buffer failed"},
	} {
		if known.kind == k {
			return known.title
		}
	}
	return "Error"
}

// Failure says why something failed: its kind, and the error in words.
type Failure struct {
	Kind FailureKind
	Text string
}

// kindError is an error with a kind set by a workload.
type kindError struct {
	kind FailureKind
	err  error
}

// Error is the text of the wrapped error.
func (e *kindError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e *kindError) Unwrap() error { return e.err }

// Kinded attaches a kind to an error, for FailureOf; nil stays nil.
func Kinded(kind FailureKind, err error) error {
	if err == nil {
		return nil
	}
	return &kindError{kind, err}
}

// FailureOf converts an error to a Failure; nil becomes the zero Failure.
func FailureOf(err error) Failure {
	if err == nil {
		return Failure{}
	}
	f := Failure{Text: err.Error()}
	if known := (*kindError)(nil); errors.As(err, &known) {
		f.Kind = known.kind
		return f
	}
	for _, known := range []struct {
		is   error
		kind FailureKind
	}{
		{gpu.ErrUnsupported, NotSupported},
		{gpu.ErrDeviceLost, DeviceLost},
		{gpu.ErrOutOfMemory, OutOfMemory},
		{gpu.ErrTimeout, TimedOut},
		{gpu.ErrCompile, CompileFailed},
		{gpu.ErrExecution, NotExecuted},
		{syscall.ENOSPC, DiskFull},
	} {
		if errors.Is(err, known.is) {
			f.Kind = known.kind
			break
		}
	}
	return f
}

// WarningKind classifies warnings. It is stable: bundles store it.
type WarningKind string

// Kinds of warnings other than measure.WarningKind. Results from older versions have the zero value.
const (
	Infinite    WarningKind = "infinite"     // values beyond the range of a number format
	Captured    WarningKind = "captured"     // slowed down by the device's debugger
	Validated   WarningKind = "validated"    // slowed down by a validation layer
	PoolChanged WarningKind = "pool-changed" // changed by the user during the measurement
	SamplesLost WarningKind = "samples-lost" // some are missing from the bundle
	Retried     WarningKind = "retried"      // work failed and was repeated
	MaybeCached WarningKind = "maybe-cached" // operands should come from memory but may be cached
	Qualified   WarningKind = "qualified"    // the variant measures something other than its name suggests
	// PeaksDisturbed is for shares of peaks that were measured while the machine was disturbed.
	PeaksDisturbed WarningKind = "peaks-disturbed"
)

// Note returns a warning of kind Qualified.
func Note(format string, args ...any) Warning {
	return Warning{Qualified, fmt.Sprintf(format, args...)}
}

// Warning is something a reader must know before trusting a result.
type Warning struct {
	Kind WarningKind
	Text string
}
