package cpu

import (
	"fmt"
	"unsafe"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// event implements gpu.Event.
type event struct {
	enginekit.Event
	native nativeEvent
}

// NewEvent creates an event.
func (e *engine) NewEvent(label string) (gpu.Event, error) {
	native, ok := newNativeEvent()
	if !ok {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "new event", "", "%q", label)
	}
	out := &event{native: native}
	if err := out.Open(&e.buffers, label, native.free); err != nil {
		return nil, err
	}
	return out, nil
}

// prepared implements gpu.Program.
type prepared struct {
	enginekit.Program
	engine   *engine
	commands commands
	labels   []string // the kernel or kind of each command
	staged   bool     // times of the commands are requested
	waits    bool     // it has events
}

// A submission is brief if its commands, bytes and operations take a processor about a microsecond at most.
const (
	briefCommands = 16
	briefBytes    = 16 << 10
	briefOps      = 16 << 10
)

// Brief reports whether repeat runs of the program take less time than handing them to another goroutine.
func (p *prepared) Brief(repeat int) bool {
	if repeat > briefCommands || len(p.labels) > briefCommands || p.waits {
		return false
	}
	cost, n := p.Cost(), float64(repeat)
	return repeat*len(p.labels) <= briefCommands && n*cost.Bytes <= briefBytes && n*cost.Ops <= briefOps
}

// Prepare encodes the commands for the C side.
func (e *engine) Prepare(list ...gpu.Command) (gpu.Program, error) {
	return e.PrepareWith(gpu.Encoding{}, list...)
}

// PrepareWith is Prepare, with times of the commands if requested.
func (e *engine) PrepareWith(o gpu.Encoding, list ...gpu.Command) (gpu.Program, error) {
	if o.Concurrent {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "prepare", "", "each dispatch uses all cores, so dispatches of a queue cannot run concurrently")
	}
	p := &prepared{engine: e, staged: o.Stages}
	if err := p.Open(&e.buffers, func() { p.commands = commands{} }, list); err != nil {
		return nil, err
	}
	for _, c := range list {
		if err := p.add(c); err != nil {
			p.Abandon()
			return nil, err
		}
	}
	if err := p.Finish(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *prepared) add(c gpu.Command) error {
	var err error
	label := ""
	switch c := c.(type) {
	case gpu.Launch:
		label, err = c.Kernel.Spec().Name, p.launch(&c)
	case gpu.Copy:
		label, err = "copy", p.copy(&c)
	case gpu.Fill:
		label, err = "fill", p.fill(&c)
	case gpu.Signal:
		label, err = "signal", p.event(c.Event, true)
	case gpu.Await:
		label, err = "await", p.event(c.Event, false)
	}
	p.labels = append(p.labels, label)
	return err
}

func (p *prepared) launch(l *gpu.Launch) error {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.engine != p.engine {
		return gpu.Errorf(gpu.ErrInvalid, "launch", l.Kernel.Spec().Name, "the kernel belongs to another engine")
	}
	c := k.command(l.Params)
	for i, b := range l.Bindings {
		if b.Buffer == nil {
			continue
		}
		at, err := p.place(b)
		if err != nil {
			return fmt.Errorf("launch %s: argument %s: %w", k.spec.Name, k.spec.Args[i].Name, err)
		}
		c.arg[i] = at
	}
	p.commands.launch(&c)
	return nil
}

func (p *prepared) copy(c *gpu.Copy) error {
	from, err := p.place(c.From)
	if err != nil {
		return fmt.Errorf("copy: from: %w", err)
	}
	to, err := p.place(c.To)
	if err != nil {
		return fmt.Errorf("copy: to: %w", err)
	}
	p.commands.copy(to, from, c.Bytes)
	return nil
}

func (p *prepared) fill(f *gpu.Fill) error {
	to, err := p.place(f.To)
	if err != nil {
		return fmt.Errorf("fill: to: %w", err)
	}
	p.commands.fill(to, f.Bytes, f.Value)
	return nil
}

func (p *prepared) event(e gpu.Event, signal bool) error {
	p.waits = true
	own, err := enginekit.BindEvent[*event](&p.Program, e, signal)
	if err != nil {
		return err
	}
	if signal {
		p.commands.signal(own.native)
	} else {
		p.commands.await(own.native)
	}
	return nil
}

// place retains the buffer of b and returns its address.
func (p *prepared) place(b gpu.Binding) (unsafe.Pointer, error) {
	own, err := enginekit.Bind[*buffer](&p.Bindings, &p.engine.buffers, b.Buffer)
	if err != nil {
		return nil, err
	}
	return unsafe.Add(own.mem, b.Offset), nil
}
