package inject

import (
	"errors"
	"sync"

	"assay/gpu"
)

// Defect makes an engine compute something other than requested, like a wrong kernel: real kernels, with other operands, sizes or
// commands.
type Defect struct {
	// Edit returns what runs instead of a program's commands.
	Edit func([]gpu.Command) []gpu.Command
	// After is how many submissions run correctly before that.
	After int

	mu   sync.Mutex
	runs int
}

// due counts a submission.
func (d *Defect) due() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.runs++
	return d.runs > d.After
}

// Wrong returns e with the defect.
func Wrong(e gpu.Engine, d *Defect) gpu.Engine { return &wrongEngine{e, d} }

type wrongEngine struct {
	gpu.Engine
	defect *Defect
}

// Unwrap returns the wrapped engine.
func (e *wrongEngine) Unwrap() gpu.Engine { return e.Engine }

// Prepare implements gpu.Engine.
func (e *wrongEngine) Prepare(commands ...gpu.Command) (gpu.Program, error) {
	right, err := e.Engine.Prepare(commands...)
	if err != nil {
		return nil, err
	}
	wrong, err := e.Engine.Prepare(e.defect.Edit(commands)...)
	if err != nil {
		return nil, errors.Join(err, right.Release())
	}
	return &wrongProgram{right, wrong}, nil
}

// NewQueue implements gpu.Engine.
func (e *wrongEngine) NewQueue(label string) (gpu.Queue, error) {
	q, err := e.Engine.NewQueue(label)
	if err != nil {
		return nil, err
	}
	return &wrongQueue{q, e.defect}, nil
}

// wrongProgram is a correct program, and what runs instead of it.
type wrongProgram struct {
	gpu.Program
	wrong gpu.Program
}

// Release implements gpu.Program.
func (p *wrongProgram) Release() error { return errors.Join(p.Program.Release(), p.wrong.Release()) }

type wrongQueue struct {
	gpu.Queue
	defect *Defect
}

// Submit implements gpu.Queue.
func (q *wrongQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	if both, ok := p.(*wrongProgram); ok {
		if p = both.Program; q.defect.due() {
			p = both.wrong
		}
	}
	return q.Queue.Submit(p, repeat)
}
