package gputest

import (
	"assay/gpu"
	"assay/shaders/catalog"
)

// Script defines how a Fake behaves. The zero Script has no faults.
type Script struct {
	// Steps apply to the submissions of the engine in order; later submissions get the zero Step or, with Repeat, the list again
	// from its start.
	Steps  []Step
	Repeat bool
	// Slow returns the factor by which a submission, counted from 0, takes longer than usual; nil: 1. It is called in their
	// order.
	Slow func(submission int) float64
	// Allocations makes the n-th call of NewBuffer (from 1) fail with the error for n.
	Allocations map[int]error
	// MemoryLimit is the maximum number of live bytes before ErrOutOfMemory; 0: no limit.
	MemoryLimit int64
	// Discrete simulates a device with its own memory, which the host cannot access.
	Discrete bool
	// Kind is the name of the engine that it stands for; empty: "fake". Compute is gpu.Info's.
	Kind    string
	Compute int
	// Unsupported has the kernels, by name, that the engine does not run, with the reasons; generated kernels by operation.
	Unsupported map[string]string
}

// Step is what happens to one submission.
type Step struct {
	// Seconds is the device time; 0: in proportion to the cost of the commands.
	Seconds float64
	// Err is the error of Wait; nothing is computed. After ErrDeviceLost, all later work fails with it, too.
	Err error
	// Hang makes the submission never complete: Wait ends with its context, and later submissions of the queue wait. When
	// the queue or the engine is closed, it fails with ErrTimeout.
	Hang bool
	// Wrong corrupts one element of every output.
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
	fakeOverhead = 20e-6 // seconds from Submit to completion in addition to the device time
)

// seconds is the modeled device time of commands: for each the longer of arithmetic and memory time.
func seconds(commands []gpu.Command) float64 {
	var total float64
	for _, c := range commands {
		cost := gpu.CostOf(c)
		total += fakeDispatch + max(cost.Ops/fakeOps, cost.Bytes/fakeBytes)
	}
	return total
}

// Without returns an Unsupported of all implementations of the named kernel's operation in its type, with the reason why.
func Without(kernel, why string) map[string]string {
	lacks := map[string]string{}
	named := catalog.MustFind(kernel)
	for _, k := range catalog.Default().Op(named.Impl.Op.Name) {
		if k.Type == named.Type {
			lacks[k.Name] = why
		}
	}
	return lacks
}
