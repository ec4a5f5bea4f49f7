// Package inject makes an engine fail once, as devices and drivers do, so that the recovery can be observed: allocations that do
// not fit, kernels that do not compile, command buffers that fail or hang, devices that are removed.
package inject

import (
	"context"
	"fmt"
	"sync"
	"time"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
)

// Fault is a kind of failure.
type Fault uint8

// Faults.
const (
	OutOfMemory  Fault = iota // an allocation
	CompileError              // a kernel
	Failed                    // a command buffer ends with an error
	Hung                      // a command buffer does not end; the device is lost when the timeout is noticed
	Lost                      // the device disappears during a command buffer
)

// Mark is in the text of every error that was injected.
const Mark = "injected"

// hangLimit is the timeout of a hung command buffer.
const hangLimit = 2 * time.Second

// Plan is one fault: at call number At of its kind, from 1. It happens once, however often an engine is opened with it.
type Plan struct {
	Fault Fault
	At    int
	Held  bool // calls are counted after Arm

	mu    sync.Mutex
	armed bool
	calls int
	fired bool
	on    string
}

// Arm starts counting calls, if the plan is held.
func (p *Plan) Arm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = true
}

// Fired reports whether the fault has happened.
func (p *Plan) Fired() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fired
}

// On describes what the fault affected: "the buffer “weights” (4 kB)".
func (p *Plan) On() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.on
}

// due counts a call that the fault could affect, and records its subject.
func (p *Plan) due(is bool, on string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !is || p.fired || p.Held && !p.armed {
		return false
	}
	p.calls++
	if p.fired = p.calls >= p.At; p.fired {
		p.on = on
	}
	return p.fired
}

// Engine is an engine with a fault.
type Engine struct {
	gpu.Engine
	plan *Plan

	mu   sync.Mutex
	lost bool
}

// Wrap returns e with the fault of a plan.
func Wrap(e gpu.Engine, p *Plan) *Engine { return &Engine{Engine: e, plan: p} }

// Unwrap returns the wrapped engine.
func (e *Engine) Unwrap() gpu.Engine { return e.Engine }

func (e *Engine) lose() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost = true
}

// gone returns the error of everything on a device that was lost.
func (e *Engine) gone(op string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.lost {
		return nil
	}
	return gpu.Errorf(gpu.ErrDeviceLost, op, "", Mark)
}

// NewBuffer implements gpu.Engine.
func (e *Engine) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	if err := e.gone("allocate"); err != nil {
		return nil, err
	}
	if e.plan.due(e.plan.Fault == OutOfMemory, fmt.Sprintf("the buffer “%s” (%s)", label, si.Bytes(float64(bytes)))) {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", Mark+": %d B for %s", bytes, label)
	}
	return e.Engine.NewBuffer(bytes, storage, label)
}

// Kernel implements gpu.Engine.
func (e *Engine) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	if err := e.gone("compile"); err != nil {
		return nil, err
	}
	if e.plan.due(e.plan.Fault == CompileError, "kernel "+k.Name) {
		return nil, gpu.Errorf(gpu.ErrCompile, "compile", k.Name, Mark)
	}
	return e.Engine.Kernel(k)
}

// Prepare implements gpu.Engine.
func (e *Engine) Prepare(commands ...gpu.Command) (gpu.Program, error) {
	if err := e.gone("prepare"); err != nil {
		return nil, err
	}
	return e.Engine.Prepare(commands...)
}

// NewQueue implements gpu.Engine.
func (e *Engine) NewQueue(label string) (gpu.Queue, error) {
	if err := e.gone("make a queue"); err != nil {
		return nil, err
	}
	q, err := e.Engine.NewQueue(label)
	if err != nil {
		return nil, err
	}
	return &queue{q, e}, nil
}

type queue struct {
	gpu.Queue
	engine *Engine
}

// Submit implements gpu.Queue.
func (q *queue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	if err := q.engine.gone("submit"); err != nil {
		return nil, err
	}
	plan := q.engine.plan
	if plan.due(plan.Fault == Failed || plan.Fault == Hung || plan.Fault == Lost, "a command buffer") {
		return &submission{q.engine}, nil
	}
	return q.Queue.Submit(p, repeat)
}

// submission is the command buffer that the fault affects. It ran nothing.
type submission struct{ engine *Engine }

// Wait implements gpu.Submission.
func (s *submission) Wait(ctx context.Context) (gpu.Timing, error) {
	switch s.engine.plan.Fault {
	case Lost:
		s.engine.lose()
		return gpu.Timing{}, s.engine.gone("run")
	case Hung:
		select {
		case <-ctx.Done():
			return gpu.Timing{}, ctx.Err()
		case <-time.After(hangLimit):
		}
		s.engine.lose()
		return gpu.Timing{}, gpu.Errorf(gpu.ErrTimeout, "run", "", Mark+": no end within %v", hangLimit)
	}
	return gpu.Timing{}, gpu.Errorf(gpu.ErrExecution, "run", "", Mark)
}
