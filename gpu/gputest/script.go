package gputest

import "assay/gpu"

// Script is what a Fake does beside computing. The zero Script has no faults.
type Script struct {
	// Steps go to the submissions of the engine in the order of Submit; later submissions take the zero Step, or
	// with Repeat the list again from its start.
	Steps  []Step
	Repeat bool
	// Allocations fails the n-th NewBuffer call (counted from 1) with the error given for n.
	Allocations map[int]error
	// MemoryLimit is how many bytes can be live at once before ErrOutOfMemory; 0 sets no limit.
	MemoryLimit int64
	// Unsupported gives kernels, by name, that the engine does not run, and why.
	Unsupported map[string]string
}

// Step is what happens to one submission.
type Step struct {
	// Seconds is the device time; 0 takes a time in proportion to the commands' cost.
	Seconds float64
	// Err is what Wait fails with; nothing is computed. ErrDeviceLost sticks: all that follows fails with it too.
	Err error
	// Hang never completes: Wait ends with its context, later submissions of the queue wait behind it. When the
	// queue or the engine is closed it fails with ErrTimeout.
	Hang bool
	// Wrong spoils one element of every output.
	Wrong bool
}

func (s *Script) step(n int) Step {
	if s.Repeat && len(s.Steps) > 0 {
		n %= len(s.Steps)
	}
	if n < len(s.Steps) {
		return s.Steps[n]
	}
	return Step{}
}

// Speeds of the simulated device, for steps without a time of their own.
const (
	fakeOps      = 1e12  // operations a second
	fakeBytes    = 1e11  // bytes a second
	fakeDispatch = 2e-6  // seconds
	fakeCompile  = 4e-6  // seconds for each byte of source
	fakeOverhead = 20e-6 // seconds from Submit to completion beside the device's own
)

// seconds is the modeled device time of commands: for each the greater of arithmetic and memory time.
func seconds(commands []gpu.Command) float64 {
	var total float64
	for _, c := range commands {
		cost := gpu.CostOf(c)
		total += fakeDispatch + max(cost.Ops/fakeOps, cost.Bytes/fakeBytes)
	}
	return total
}
