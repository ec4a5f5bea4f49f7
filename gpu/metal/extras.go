package metal

import (
	"context"
	"fmt"

	"assay/gpu"
)

// Extras is what the Metal engine offers beyond the seam. An engine that OpenWith gives has it.
type Extras interface {
	Capabilities() Capabilities
	// Compiles lists the kernels that were made, in order.
	Compiles() []Compile
	DeviceMemory() DeviceMemory
	// NewBufferNoCopy makes a shared buffer of mem, which must be whole pages and no memory of the Go heap (mapped, or
	// from C). done is called once the device no longer uses it; never, if the device hangs with it.
	NewBufferNoCopy(mem []byte, label string, done func()) (gpu.Buffer, error)
	// Capture records what the device does into a new .gputrace document for Xcode, until stop. ErrUnsupported says how
	// to allow it.
	Capture(path string) (stop func() error, err error)
}

// Staged is what a Submission of an engine with Options.Counters offers beyond the seam.
type Staged interface {
	// Stages waits like Wait, then tells the time of every dispatch that was encoded.
	Stages(ctx context.Context) ([]Stage, error)
}

// Stage is one encoder's time on the device.
type Stage struct {
	Label   string
	Seconds float64
	Why     string // not empty: there is no time, for this reason
}

// Compile is how one kernel came to be.
type Compile struct {
	Kernel    string
	Constants string
	Seconds   float64 // all of it, with SourceSeconds
	// SourceSeconds is what compiling the source took; 0 where a kernel of the same source had it done.
	SourceSeconds float64
	Warm          bool   // the pipeline came out of the archive
	Archive       string // what became of the archive: "found", "stored", "not kept: …"
}

// DeviceMemory is what the device and the system say of memory, in bytes. Unlike gpu.Memory, Allocated counts all that
// this process has on the device: pipelines, staging and what the driver needs.
type DeviceMemory struct {
	Allocated     int64
	WorkingSet    int64 // recommended at most; 0: unknown
	Buffers       int64 // of this engine
	ResourceLimit int64 // buffers that a process may have; 0: unknown
}

// TraceCommand is the command line that records a Metal System Trace of the process pid for Instruments.
func TraceCommand(pid int, seconds int, output string) string {
	return fmt.Sprintf("xcrun xctrace record --template 'Metal System Trace' --attach %d --time-limit %ds --output %s",
		pid, seconds, shellQuote(output))
}
