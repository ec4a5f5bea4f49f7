package workloads

import (
	"errors"

	"assay/gpu"
	"assay/workloads/measure"
)

// Env is what a run of a workload is given: an engine, memory, rules, and who listens.
type Env struct {
	Workload *Workload
	Job      int // of the run, from 0
	Engine   gpu.Engine
	Queue    gpu.Queue
	Pool     *gpu.Pool
	Options  measure.Options
	Seed     uint64
	Observer Observer
	// Inputs caches what cases build from one to the next; nil caches nothing.
	Inputs *InputCache
}

// Observer hears what a workload does. Its methods are called from the workload's goroutine and must return at once.
type Observer interface {
	Progress(Progress)
	// Results are those of one case, all at once, so that what is written holds whole cases.
	Results(...Result)
	Finding(Finding)
	// Iteration is called whenever the live buffers should be the same as at the last call within the same case.
	Iteration(caseName string)
}

// Progress is where a run of a workload stands.
type Progress struct {
	Workload string
	Case     string
	Done     int // cases
	Total    int
	Measure  measure.Progress
}

// ErrPending is part of the error of a run that ended while a command buffer was still in flight: the buffers that it
// uses are not back in the pool.
var ErrPending = errors.New("a command buffer is still in flight")
