package gpu

// What only some engines offer; As finds it.

// Compile is how the pipeline of one kernel came about.
type Compile struct {
	Kernel    string
	Constants string  // as Constants.Key spells them
	Seconds   float64 // all of it, with SourceSeconds
	// SourceSeconds is what compiling the source took; 0 where a kernel of the same source had it done.
	SourceSeconds float64
	Warm          bool   // the pipeline came out of the cache on disk
	Cache         string // what became of that cache: "found", "stored", "not kept: …"
}

// CompileLog is an engine that compiles kernels when they are first asked for.
type CompileLog interface {
	// Compiles are those since the engine was opened, in order.
	Compiles() []Compile
}

// Capturer is an engine whose command buffers a debugger's file can record.
type Capturer interface {
	// Capture records all that is submitted until stop, which writes the file. The path must not exist.
	Capture(path string) (stop func() error, err error)
}

// Tracer is an engine that a profiler of the system can watch.
type Tracer interface {
	// TraceCommand is the command line that does so for this process, to copy.
	TraceCommand() string
}

// DeviceMemory is what the device and the system say of memory, in bytes. Unlike Memory, Allocated counts all that this
// process has on the device: pipelines, staging and what the driver needs.
type DeviceMemory struct {
	Allocated     int64
	WorkingSet    int64 // recommended at most; 0: unknown
	Buffers       int64 // of this engine
	ResourceLimit int64 // buffers that a process may have; 0: unknown
}

// MemoryReporter is an engine whose device keeps count of memory itself.
type MemoryReporter interface {
	DeviceMemory() DeviceMemory
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
