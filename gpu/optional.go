package gpu

// What only some engines offer; As finds it.

// Compile is how the pipeline of one kernel came about.
type Compile struct {
	Kernel    string
	Constants string  // as Constants.Key spells them
	Seconds   float64 // that making it took
	Warm      bool    // it came from the cache on disk
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

// Usage is what the device says of its memory, in bytes; −1 where it does not tell.
type Usage struct {
	Allocated  int64 // by this process, with what the driver adds
	WorkingSet int64 // that can be live without penalty
	Buffers    int64 // most that may be live
}

// UsageReporter is an engine whose device keeps count of memory itself.
type UsageReporter interface {
	Usage() Usage
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
