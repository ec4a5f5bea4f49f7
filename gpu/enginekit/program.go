package enginekit

import (
	"assay/gpu"
	"assay/shaders"
)

// Program is the core of an engine's program, which embeds it: the cost of the checked commands, and the objects they use.
type Program struct {
	counted
	Bindings
	registry *Registry
	cost     shaders.Cost
	launches int
	events   []eventUse
}

// eventUse is the number of signals and awaits of an event in one run of a program.
type eventUse struct {
	event           *Event
	signals, awaits int
}

// Open checks the commands and starts the program; free frees what the engine encoded. The caller must call Finish or
// Abandon.
func (p *Program) Open(r *Registry, free func(), commands []gpu.Command) error {
	if r.isClosed() {
		return gpu.Errorf(gpu.ErrClosed, "prepare", "", "the engine was closed")
	}
	for _, c := range commands {
		if err := gpu.Check(c); err != nil {
			return err
		}
		if _, ok := c.(gpu.Launch); ok {
			p.launches++
		}
	}
	p.registry, p.cost = r, gpu.CostOf(commands...)
	p.open(func() {
		free()
		p.Abandon()
		r.forgetProgram(p)
	})
	return nil
}

// Finish registers the program. If the engine was closed meanwhile, it frees the program and returns ErrClosed.
func (p *Program) Finish() error {
	if p.registry.addProgram(p) {
		return nil
	}
	p.release()
	return gpu.Errorf(gpu.ErrClosed, "prepare", "", "the engine was closed")
}

// Abandon releases everything that was bound.
func (p *Program) Abandon() {
	p.Drop()
	for _, u := range p.events {
		u.event.drop()
	}
	p.events = nil
}

// Cost is the cost of one run.
func (p *Program) Cost() shaders.Cost { return p.cost }

// Launches is the number of kernel launches in one run.
func (p *Program) Launches() int { return p.launches }

// Release frees the program once no submission uses it; ErrReleased if it was called before.
func (p *Program) Release() error {
	if !p.release() {
		return gpu.Errorf(gpu.ErrReleased, "release", "", "a program")
	}
	return nil
}

// Begin retains the program for a submission of repeat runs by queue, until End. It fails if the program or one of its leases
// was released, or if an event is not for this queue or would be awaited more often than it is signaled. Submissions of one
// queue begin one at a time, in order.
func (p *Program) Begin(queue any, repeat int) error {
	if err := gpu.CheckRepeat(repeat); err != nil {
		return err
	}
	if err := p.current(); err != nil {
		return err
	}
	if !p.retain() {
		return gpu.Errorf(gpu.ErrReleased, "submit", "", "a program")
	}
	for i, u := range p.events {
		if err := u.event.reserve(queue, u.signals*repeat, u.awaits*repeat); err != nil {
			p.cancel(i, repeat)
			p.drop()
			return err
		}
	}
	return nil
}

// Cancel undoes Begin for a submission that failed to start.
func (p *Program) Cancel(repeat int) {
	p.cancel(len(p.events), repeat)
	p.drop()
}

func (p *Program) cancel(n, repeat int) {
	for _, u := range p.events[:n] {
		u.event.cancel(u.signals*repeat, u.awaits*repeat)
	}
}

// End releases the program after a submission.
func (p *Program) End() { p.drop() }
