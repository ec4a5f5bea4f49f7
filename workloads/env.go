package workloads

import (
	"context"
	"errors"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Env is the environment in which a workload runs: an engine, memory, options and an observer.
type Env struct {
	Workload *Workload
	Job      int // index in the run, from 0
	Engine   gpu.Engine
	Queue    gpu.Queue
	Pool     *gpu.Pool
	Options  measure.Options
	Seed     uint64
	Observer Observer
	Spans    *measure.Spans // records what is done when; nil: nothing is recorded
	// Inputs caches inputs across cases; nil caches nothing.
	Inputs *InputCache
	// Between is called before each case, when no buffer of the previous one is live: it may free what the pool caches, and
	// wait. An error ends the run. nil: nothing is done.
	Between func(ctx context.Context, caseName string) error
	// After is called after each case, when its buffers have been released, but not while something that uses them is still in
	// flight. nil: nothing is done.
	After func(caseName string)
	// InFlight is called when a case ends whose buffers cannot be released because the device still uses them. nil: nothing is done.
	InFlight func()
	// Anchor reports whether the device is as fast as at the start of the run; nil: nothing reports it.
	Anchor *measure.Anchor
	// Duty makes the device idle between bursts of samples; nil: it works all the time.
	Duty *measure.Duty
	// Drifted is called when the anchor shows that cases were measured while the device's speed had changed. nil: nothing is done.
	Drifted func(Drifted)
	// Earlier returns the results of a case that need not be measured again; if there are none, the case is measured. nil: measure all.
	Earlier func(caseName string) []Result
	// Tuned returns what tuning found for a call that runs a kernel by default, to use in its place; nil: defaults are used.
	Tuned func(byDefault *shaders.Kernel, params any) (Tuning, bool)
	// Rival starts another process that keeps the engine's device busy, and returns once it does; stop ends it. nil: none can be started.
	Rival func(ctx context.Context) (stop func() error, err error)
	// Ran is called with the kernels that a result's work ran, and why each was chosen; nil: nothing is done.
	Ran func(kernels []KernelChoice)
	// Keep keeps what a search found for a call, replacing an earlier choice; nil: it is not kept.
	Keep func(found Tuning, byDefault, chosen *shaders.Kernel) error
}

// KernelChoice is a kernel with its constants, and why it was chosen; empty: the measurement names the kernel explicitly.
type KernelChoice struct{ Kernel, Why string }

// Drifted is what the anchor showed after cases, and what was done about it.
type Drifted struct {
	Act    DriftAct
	Cases  []string // those measured since the anchor's last reading
	Drift  measure.Drift
	Waited time.Duration // for Recovered and Stayed: how long the run cooled down
}

// DriftAct is what a run does about a device whose speed has changed.
type DriftAct string

// What a run can do.
const (
	Discarded DriftAct = "discarded" // the cases are measured again
	Recovered DriftAct = "recovered" // after cooling down
	Stayed    DriftAct = "stayed"    // still slow, although the run cooled down
	Kept      DriftAct = "kept"      // the cases, with a warning
)

// Observer receives what a workload reports. Its methods run on the workload's goroutine and must return immediately.
type Observer interface {
	Progress(Progress)
	// Results receives all results of one case together, so that files contain whole cases.
	Results(...Result)
	Finding(Finding)
	// Iteration is called whenever the live buffers should be the same as at the previous call within the same case.
	Iteration(caseName string)
}

// Progress is the progress of a workload's run.
type Progress struct {
	Workload string
	Case     string
	Done     int // cases
	Total    int
	Measure  measure.Progress
}

// ErrPending is part of the error of a run that ended while a command buffer was still in flight: the buffers that it
// uses were not returned to the pool.
var ErrPending = errors.New("a command buffer is still in flight")
