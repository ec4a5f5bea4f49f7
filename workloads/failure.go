package workloads

import (
	"errors"
	"syscall"

	"assay/gpu"
)

// FailureKind tells failures apart where something can be done about them. It is stable: bundles hold it.
type FailureKind string

// Kinds of failures. The zero value is that of no failure, or of one of another kind.
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
)

// Failure says why something failed: its kind, and the error in words.
type Failure struct {
	Kind FailureKind
	Text string
}

// kindError is an error whose kind a workload knows.
type kindError struct {
	kind FailureKind
	err  error
}

// Error is the error's own words.
func (e *kindError) Error() string { return e.err.Error() }

// Unwrap is the error.
func (e *kindError) Unwrap() error { return e.err }

// Kinded gives an error its kind, for FailureOf; nil stays nil.
func Kinded(kind FailureKind, err error) error {
	if err == nil {
		return nil
	}
	return &kindError{kind, err}
}

// FailureOf is the failure that an error stands for; none of nil.
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
		{syscall.ENOSPC, DiskFull},
	} {
		if errors.Is(err, known.is) {
			f.Kind = known.kind
			break
		}
	}
	return f
}

// WarningKind tells warnings apart. It is stable: bundles hold it.
type WarningKind string

// Kinds of warnings that a measurement does not give by itself; those that it does are measure.WarningKind. The zero value is
// that of an older version.
const (
	Infinite    WarningKind = "infinite"     // values beyond the range of a number format
	Captured    WarningKind = "captured"     // the device's debugger slowed it down
	PoolChanged WarningKind = "pool-changed" // by hand, meanwhile
	SamplesLost WarningKind = "samples-lost" // the bundle lacks some
	MaybeCached WarningKind = "maybe-cached" // operands were wanted from memory, and may be in the cache
)

// Warning is what a reader must know before trusting a result.
type Warning struct {
	Kind WarningKind
	Text string
}
