package metal

import (
	"context"
	"fmt"

	"assay/gpu"
)

// Extras is what the Metal engine offers beyond the seam. An engine that OpenWith gives has it.
type Extras interface {
	gpu.CompileLog
	gpu.MemoryReporter
	gpu.Capturer
	gpu.Tracer
	gpu.Losable
	Capabilities() Capabilities
	// NewBufferNoCopy makes a shared buffer of mem, which must be whole pages and no memory of the Go heap (mapped, or
	// from C). done is called, from any thread, once the device no longer uses it: never, if the device hangs
	// with it for ever.
	NewBufferNoCopy(mem []byte, label string, done func()) (gpu.Buffer, error)
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

// traceCommand is the command line that records a Metal System Trace of the process pid for Instruments.
func traceCommand(pid, seconds int, output string) string {
	return fmt.Sprintf("xcrun xctrace record --template 'Metal System Trace' --attach %d --time-limit %ds --output %s",
		pid, seconds, shellQuote(output))
}
