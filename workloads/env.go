package workloads

import (
	"context"
	"errors"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Env is the environment of a workload's run: an engine, memory, options and an observer.
type Env struct {
	Workload *Workload
	Job      int // of the run, from 0
	Engine   gpu.Engine
	Queue    gpu.Queue
	Pool     *gpu.Pool
	Options  measure.Options
	Seed     uint64
	Observer Observer
	Spans    *measure.Spans // records what is done when; nil: nothing does
	// Inputs caches inputs across cases; nil caches nothing.
	Inputs *InputCache
	// Between is called before each case, when no buffer of the one before it is live: it may free what the pool caches, and
	// wait. Its error ends the run. nil: nothing is done.
	Between func(ctx context.Context, caseName string) error
	// After is called after each case, when the buffers that it owned have been released; not when something is still in flight,
	// which uses them. nil: nothing is done.
	After func(caseName string)
	// InFlight is called when a case ends whose buffers cannot be released, since the device still works on them. nil: nothing is done.
	InFlight func()
	// Anchor reports whether the device is as fast as at the start of the run; nil: nothing does.
	Anchor *measure.Anchor
	// Duty has the device be idle between bursts of samples; nil: it works all the time.
	Duty *measure.Duty
	// Drifted is called when the anchor shows that cases were measured on a device that had changed its speed. nil: nothing is done.
	Drifted func(Drifted)
	// Earlier returns the results of a case that need not be measured again; none: measure it. nil: measure all.
	Earlier func(caseName string) []Result
	// Tuned returns what tuning found for a call that runs a kernel by default, to be used in its place; nil: defaults are used.
	Tuned func(byDefault *shaders.Kernel, params any) (Tuning, bool)
	// Rival starts another process that keeps the engine's device busy, and returns once it does; stop ends it. nil: none can be.
	Rival func(ctx context.Context) (stop func() error, err error)
	// Ran is called with the kernels that a result's work ran, and why these; nil: nothing is done.
	Ran func(kernels []KernelChoice)
	// Keep keeps what a search found for a call, in place of what an earlier one did; nil: it is not kept.
	Keep func(found Tuning, byDefault, chosen *shaders.Kernel) error
}

// KernelChoice is a kernel with its constants, and why it was chosen; empty: what was measured names it.
type KernelChoice struct{ Kernel, Why string }

// Drifted is what the anchor showed after cases, and what became of it.
type Drifted struct {
	Act    DriftAct
	Cases  []string // those measured since the anchor's last reading
	Drift  measure.Drift
	Waited time.Duration // of Recovered and Stayed: how long the run cooled down
}

// DriftAct is what a run does about a device whose speed has changed.
type DriftAct string

// What a run does.
const (
	Discarded DriftAct = "discarded" // the cases are measured again
	Recovered DriftAct = "recovered" // after cooling down
	Stayed    DriftAct = "stayed"    // slow, though the run cooled down
	Kept      DriftAct = "kept"      // the cases, with a warning
)

// Observer receives what a workload reports. Its methods run on the workload's goroutine and must return at once.
type Observer interface {
	Progress(Progress)
	// Results receives all results of one case at once, so that files contain whole cases.
	Results(...Result)
	Finding(Finding)
	// Iteration is called whenever the live buffers should be the same as at the last call within the same case.
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
