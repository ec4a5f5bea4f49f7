package gpu

import (
	"context"

	"assay/shaders"
)

// Abilities that only some engines have; As finds them.

// Compile describes how one kernel's pipeline was created.
type Compile struct {
	Kernel    string
	Constants string  // values of its function constants, "transpose_b=1"; empty: none
	Seconds   float64 // total, including SourceSeconds
	// SourceSeconds is the time spent compiling the source; 0 if it was already compiled for another kernel.
	SourceSeconds float64
	Warm          bool   // the pipeline came from the cache on disk or is built in
	BuiltIn       bool   // its code is part of the program: the cache was not consulted
	Retries       int    // how often the compiler crashed and was restarted
	Damaged       bool   // the cache had an entry that did not match its checksum, so the kernel was compiled again
	Cache         string // what the cache did: "found", "stored", "not kept: …"
}

// CompileLog is an engine that compiles kernels when they are first requested.
type CompileLog interface {
	// Compiles lists the compilations since the engine was opened, in order.
	Compiles() []Compile
}

// Compiler is an engine that can compile a kernel again, to time the compilation.
type Compiler interface {
	// Recompile creates a pipeline for k and drops it, regardless of what Kernel has created. A cold compilation reuses
	// nothing compiled before; a warm one uses what the engine keeps on disk, or returns ErrUnsupported if it keeps nothing.
	Recompile(ctx context.Context, k shaders.Kernel, cold bool) (Compile, error)
}

// Capturer is an engine whose command buffers can be recorded in a debugger's file.
type Capturer interface {
	// Capturable returns why no capture can be started, or nil if one can.
	Capturable() error
	// Capture records everything submitted until stop is called, which writes the file. The path must not exist.
	Capture(path string) (stop func() error, err error)
}

// Validating is an engine whose system can validate each call, which makes its times useless.
type Validating interface {
	// Validation names what validates; empty: nothing does. It is set by the environment before the process starts.
	Validation() string
}

// Validation returns what validates e's calls; empty: nothing does.
func Validation(e Engine) string {
	if v, ok := As[Validating](e); ok {
		return v.Validation()
	}
	return ""
}

// Tracer is an engine that a system profiler can watch.
type Tracer interface {
	// TraceCommand returns the command line that traces this process, for copying.
	TraceCommand() string
}

// Marker is an engine that can mark the host's activity for a system profiler.
type Marker interface {
	// Mark begins an interval named after a phase, from the engine's fixed list, and says what it belongs to; end ends it.
	Mark(name, what string) (end func())
}

// LibraryNamer is an engine that knows which build of a library runs a kernel.
type LibraryNamer interface {
	// LibraryName returns the library's version, the processor it targets, and its thread count; empty: not known.
	LibraryName(k shaders.Kernel) string
}

// DeviceMemory is what the device and the system report about memory, in bytes. Unlike Memory, Allocated counts everything this
// process has on the device: pipelines, staging and the driver's needs.
type DeviceMemory struct {
	Allocated     int64
	ResourceLimit int64 // number of buffers that a process may have; 0: unknown
}

// MemoryReporter is an engine whose device itself accounts for memory.
type MemoryReporter interface {
	// DeviceMemory fails once the engine is closed or its device is lost.
	DeviceMemory() (DeviceMemory, error)
}

// CodeHolder is an engine whose driver keeps host memory for the code of kernels and libraries, in addition to buffers.
type CodeHolder interface {
	// CodeBytes first gives freed memory back to the system, and then returns how much this process grew while the driver loaded
	// code, in bytes. It never shrinks.
	CodeBytes() int64
}

// Worked is the CPU time of this process that kernels have used.
type Worked struct {
	Seconds   float64
	Elsewhere int // launches that a library ran in its own threads, whose time is not included
}

// Worker is an engine whose kernels run on the processor, in threads of this process.
type Worker interface {
	// Worked counts since the engine was opened; ErrUnsupported if the system does not report it.
	Worked() (Worked, error)
}

// Device is a device that an engine can be opened on.
type Device struct {
	ID   string // selects it: a name, a UUID
	Name string // including what distinguishes it from others
}

// Chooser is an engine that could have been opened on another device.
type Chooser interface {
	// Devices lists all devices that were present when the engine was opened, the one in use first. how is the environment variable
	// that selects another by its ID.
	Devices() (all []Device, how string)
}

// Identified is an engine whose device has an ID known to the system's tools.
type Identified interface {
	// DeviceID returns that ID: for an NVIDIA GPU its UUID as nvidia-smi prints it, "GPU-…". The monitor reads the GPU with that ID.
	DeviceID() string
}

// NoCopier is an engine that can use the caller's memory in place.
type NoCopier interface {
	// Wrap makes a shared buffer of mem, which must be whole pages outside the Go heap (mapped, or from C);
	// otherwise ErrInvalid. done, if not nil, is called from any thread once the device no longer uses the memory, and never
	// if the device hangs with it.
	Wrap(mem []byte, label string, done func()) (Buffer, error)
}

// Encoding is how a program is encoded; the zero Encoding is the one Prepare uses.
type Encoding struct {
	// Concurrent lets independent launches run concurrently. Dependent ones still run in order.
	Concurrent bool
	// Stages times every command; see Stager. That costs time, so do not compare the Timing with runs without it.
	Stages bool
}

// Encoder is an engine that can encode programs in other ways than Prepare; ErrUnsupported says which it cannot.
type Encoder interface {
	PrepareWith(o Encoding, commands ...Command) (Program, error)
}

// Stage is the time of one command, or of several that the device runs as one.
type Stage struct {
	Label   string
	Seconds float64
	Why     string // why there is no time; empty: there is one
}

// Stager is a submission that may know the times of its stages.
type Stager interface {
	// Stages waits like Wait. It lists the stages that had anything to do, once per repetition; ErrUnsupported if the program was not
	// encoded with Stages.
	Stages(ctx context.Context) ([]Stage, error)
}

// Stages returns the stages of s, or of what it wraps; see Stager.
func Stages(ctx context.Context, s Submission) ([]Stage, error) {
	for s != nil {
		if stager, ok := s.(Stager); ok {
			return stager.Stages(ctx)
		}
		wrapper, wraps := s.(interface{ Unwrap() Submission })
		if !wraps {
			break
		}
		s = wrapper.Unwrap()
	}
	return nil, Errorf(ErrUnsupported, "stages", "", "the engine times whole submissions only")
}

// Losable is an engine whose device can be lost permanently.
type Losable interface {
	// Lost returns nil while the device is usable, and otherwise an ErrDeviceLost that says why not.
	Lost() error
}

// Lost returns e's error, see Losable; nil for an engine that does not report it.
func Lost(e Engine) error {
	if l, ok := As[Losable](e); ok {
		return l.Lost()
	}
	return nil
}

// As finds T in e or in an engine that e wraps.
func As[T any](e Engine) (found T, ok bool) {
	for e != nil {
		if found, ok = e.(T); ok {
			return found, true
		}
		wrapper, wraps := e.(interface{ Unwrap() Engine })
		if !wraps {
			break
		}
		e = wrapper.Unwrap()
	}
	return found, false
}
