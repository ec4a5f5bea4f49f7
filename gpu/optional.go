package gpu

import (
	"context"

	"assay/shaders"
)

// What only some engines offer; As finds it.

// Compile says how one kernel's pipeline was made.
type Compile struct {
	Kernel    string
	Constants string  // values of its function constants, "transpose_b=1"; empty: none
	Seconds   float64 // all of it, with SourceSeconds
	// SourceSeconds is what compiling the source took; 0 where a kernel of the same source had it done.
	SourceSeconds float64
	Warm          bool   // the pipeline came out of the cache on disk, or is built in
	BuiltIn       bool   // its code is part of the program: the cache was not asked
	Retries       int    // times that the compiler had crashed and was asked again
	Damaged       bool   // the cache had an entry that did not match its checksum: it was compiled again
	Cache         string // what became of that cache: "found", "stored", "not kept: …"
}

// CompileLog is an engine that compiles kernels when they are first asked for.
type CompileLog interface {
	// Compiles are those since the engine was opened, in order.
	Compiles() []Compile
}

// Compiler is an engine that can compile a kernel again, for the time that it takes.
type Compiler interface {
	// Recompile makes a pipeline of k and drops it, whatever Kernel has made. A cold one finds nothing that was compiled
	// before; a warm one takes what the engine keeps on disk: ErrUnsupported if it keeps nothing.
	Recompile(ctx context.Context, k shaders.Kernel, cold bool) (Compile, error)
}

// Capturer is an engine whose command buffers a debugger's file can record.
type Capturer interface {
	// Capturable is why no capture can be started; nil: one can.
	Capturable() error
	// Capture records all that is submitted until stop, which writes the file. The path must not exist.
	Capture(path string) (stop func() error, err error)
}

// Validating is an engine whose system can check each call, which makes its times useless.
type Validating interface {
	// Validation is what checks; empty: nothing does. It is set by the environment before the process starts.
	Validation() string
}

// Validation asks e what checks its calls; empty: nothing does.
func Validation(e Engine) string {
	if v, ok := As[Validating](e); ok {
		return v.Validation()
	}
	return ""
}

// Tracer is an engine that a system profiler can watch.
type Tracer interface {
	// TraceCommand is the command line that does so for this process, to copy.
	TraceCommand() string
}

// Marker is an engine that can mark what the host does for a system profiler.
type Marker interface {
	// Mark begins an interval with the name of a phase, which is one of a list that the engine has, and says of what; end ends it.
	Mark(name, what string) (end func())
}

// LibraryNamer is an engine that knows which build of a library runs a kernel.
type LibraryNamer interface {
	// LibraryName is the library's version, the processor that it is for, and its threads; empty: not known.
	LibraryName(k shaders.Kernel) string
}

// DeviceMemory is what the device and the system say of memory, in bytes. Unlike Memory, Allocated counts all that this
// process has on the device: pipelines, staging and what the driver needs.
type DeviceMemory struct {
	Allocated     int64
	ResourceLimit int64 // buffers that a process may have; 0: unknown
}

// MemoryReporter is an engine whose device keeps count of memory itself.
type MemoryReporter interface {
	// DeviceMemory fails once the engine is closed or its device is lost.
	DeviceMemory() (DeviceMemory, error)
}

// CodeHolder is an engine whose driver keeps memory of the host for the code of kernels and libraries, besides buffers.
type CodeHolder interface {
	// CodeBytes has freed memory given back to the system, and returns how much this process grew by while the driver loaded
	// code, in bytes. It never shrinks.
	CodeBytes() int64
}

// Worked is what kernels have taken of this process's CPU time.
type Worked struct {
	Seconds   float64
	Elsewhere int // launches that a library did in threads of its own, whose time is not part of it
}

// Worker is an engine whose kernels run on the processor, in threads of this process.
type Worker interface {
	// Worked is since the engine was opened; ErrUnsupported if the system does not tell.
	Worked() (Worked, error)
}

// Device is one that an engine can be opened on.
type Device struct {
	ID   string // what picks it: a name, a UUID
	Name string // with what sets it apart from others
}

// Chooser is an engine that could have been opened on another device.
type Chooser interface {
	// Devices are all that there were when it was opened, the one in use first. how is the environment's variable that picks
	// another by its ID.
	Devices() (all []Device, how string)
}

// Identified is an engine whose device has an ID that the system's tools know it by.
type Identified interface {
	// DeviceID is that ID: of an NVIDIA GPU its UUID as nvidia-smi prints it, "GPU-…". The monitor reads the GPU of that ID.
	DeviceID() string
}

// NoCopier is an engine that uses the caller's memory in place.
type NoCopier interface {
	// Wrap makes a shared buffer of mem, which must be whole pages and not memory of the Go heap (mapped, or from C):
	// ErrInvalid otherwise. done, if not nil, is called from any thread once the device no longer uses the memory; never,
	// if the device hangs with it.
	Wrap(mem []byte, label string, done func()) (Buffer, error)
}

// Encoding is how a program is encoded; the zero Encoding is that of Prepare.
type Encoding struct {
	// Concurrent lets independent launches run side by side. Those that depend on each other still run in order.
	Concurrent bool
	// Stages times every command: see Stager. That costs time, so Timing is not to be compared with runs without it.
	Stages bool
}

// Encoder is an engine that encodes programs in other ways than Prepare does; ErrUnsupported says which it cannot.
type Encoder interface {
	PrepareWith(o Encoding, commands ...Command) (Program, error)
}

// Stage is the time of one command, or of commands that the device runs as one.
type Stage struct {
	Label   string
	Seconds float64
	Why     string // not empty: there is no time, for this reason
}

// Stager is a submission that may know the times of its stages.
type Stager interface {
	// Stages waits like Wait. It lists what had anything to do, each repetition again; ErrUnsupported if the program was not
	// encoded with Stages.
	Stages(ctx context.Context) ([]Stage, error)
}

// Stages asks s, or what it wraps, as Stager does.
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

// Losable is an engine whose device can be lost for good.
type Losable interface {
	// Lost is nil while the device can be used, else an ErrDeviceLost that says why not.
	Lost() error
}

// Lost asks e, as Losable does; it is nil for an engine that does not tell.
func Lost(e Engine) error {
	if l, ok := As[Losable](e); ok {
		return l.Lost()
	}
	return nil
}

// As finds T in e or in what e wraps.
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
