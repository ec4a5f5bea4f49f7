//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"fmt"
	"sync/atomic"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// maxBindings is the maximum number of buffers a kernel can have in addition to its parameters: MSL_BUFFERS of abi.h less one.
const maxBindings = 30

// Kinds of commands.
const (
	launchCommand = iota
	copyCommand
	fillCommand
	productCommand
	signalCommand
	awaitCommand
)

// Orders of a launch, numbered as in bridge.h.
const (
	afterAll = iota
	firstOfSeveral
	besideThose
)

// command is a gpu.Command that is not empty.
type command struct {
	kind int
	name string

	// Of a launch. Arguments that do not exist have the address 0.
	module          *module
	groups, threads [3]uint32
	grid            [3]uint32 // total threads if the last threadgroups are partial, otherwise 0
	shared          int       // bytes of dynamic threadgroup memory
	threadgroups    []int
	buffers         []uint64
	params          []byte
	paramIndex      int
	uses            []enginekit.Use
	order           int // relative to earlier commands

	product  product // of a library
	to, from uint64
	bytes    int
	value    byte
	event    nativeEvent
}

// event implements gpu.Event.
type event struct {
	enginekit.Event
	native nativeEvent
}

// NewEvent creates an event.
func (e *engine) NewEvent(label string) (gpu.Event, error) {
	if err := e.enter("new event", label); err != nil {
		return nil, err
	}
	defer e.leave()
	native, ok := e.device.newEvent()
	if !ok {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "new event", label, "the host has no memory")
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
	engine     *engine
	native     program
	label      string
	labels     []string // of the commands
	works      bool     // it does more than signal and await
	staged     bool     // times of the commands are requested
	concurrent bool     // launches may run concurrently
	params     place    // of all launches, on the device
	ran        atomic.Bool

	commands []command // until they are encoded
}

// Prepare encodes the commands.
func (e *engine) Prepare(list ...gpu.Command) (gpu.Program, error) {
	return e.PrepareWith(gpu.Encoding{}, list...)
}

// PrepareWith is Prepare with encoding options. With Stages, an event is recorded after each command, and none run concurrently.
func (e *engine) PrepareWith(o gpu.Encoding, list ...gpu.Command) (gpu.Program, error) {
	if err := e.enter("prepare", ""); err != nil {
		return nil, err
	}
	defer e.leave()
	p := &prepared{engine: e, staged: o.Stages, concurrent: o.Concurrent && !o.Stages}
	if err := p.Open(&e.buffers, p.free, list); err != nil {
		return nil, err
	}
	if err := p.encode(list); err != nil {
		p.Abandon()
		p.free()
		return nil, err
	}
	if err := p.Finish(); err != nil {
		return nil, err
	}
	return p, nil
}

// free frees the encoded program, which no run uses any more.
func (p *prepared) free() {
	if p.native.c != nil {
		p.native.free()
	}
	p.engine.params.give(p.params)
}

func (p *prepared) encode(list []gpu.Command) error {
	for _, c := range list {
		if err := p.plan(c); err != nil {
			return err
		}
	}
	if err := p.placeParams(); err != nil {
		return err
	}
	if p.concurrent {
		sideBySide(p.commands)
	}
	var ok bool
	if p.native, ok = newProgram(); !ok {
		return gpu.Errorf(gpu.ErrOutOfMemory, "prepare", "", "the host has no memory for a program")
	}
	for i := range p.commands {
		c := &p.commands[i]
		if !p.native.add(c) {
			return gpu.Errorf(gpu.ErrOutOfMemory, "prepare", "", "the host has no memory for %d commands", len(p.commands))
		}
		p.labels = append(p.labels, c.name)
		p.works = p.works || c.kind < signalCommand
	}
	p.label, p.commands = enginekit.Summary(p.labels), nil
	return nil
}

// sideBySide finds the launches that need not wait for the previous one. In a group of them the first is marked, since the others
// start from the same point.
func sideBySide(commands []command) {
	var hazards enginekit.Hazards
	for i := range commands {
		c := &commands[i]
		if c.kind != launchCommand {
			hazards = enginekit.Hazards{}
			continue
		}
		if hazards.Wait(c.uses) || i == 0 || commands[i-1].kind != launchCommand {
			continue
		}
		c.order = besideThose
		if before := &commands[i-1]; before.order == afterAll {
			before.order = firstOfSeveral
		}
	}
}

// placeParams copies the parameters of all launches to the device.
func (p *prepared) placeParams() error {
	var all []byte
	var launches []*command
	for i := range p.commands {
		if c := &p.commands[i]; c.kind == launchCommand {
			c.buffers[c.paramIndex] = uint64(len(all)) // its offset among all parameters
			all = append(all, c.params...)
			all = append(all, make([]byte, aligned(len(all))-len(all))...)
			launches = append(launches, c)
		}
	}
	if len(all) == 0 {
		return nil
	}
	var err error
	if p.params, err = p.engine.params.take(len(all)); err != nil {
		return err
	}
	for _, c := range launches {
		c.buffers[c.paramIndex] += p.params.address()
	}
	return p.engine.copier.upload("parameters", p.params.address(), all)
}

func (p *prepared) plan(c gpu.Command) error {
	switch c := c.(type) {
	case gpu.Launch:
		return p.launch(&c)
	case gpu.Copy:
		return p.copy(&c)
	case gpu.Fill:
		return p.fill(&c)
	case gpu.Signal:
		return p.addEvent(c.Event, true)
	case gpu.Await:
		return p.addEvent(c.Event, false)
	}
	return nil
}

func (p *prepared) launch(l *gpu.Launch) error {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.engine != p.engine {
		return gpu.Errorf(gpu.ErrInvalid, "launch", l.Kernel.Spec().Name, "the kernel belongs to another engine")
	}
	c := command{kind: launchCommand, name: k.spec.Name, paramIndex: len(l.Bindings), buffers: make([]uint64, len(l.Bindings)+1)}
	for i, bind := range l.Bindings {
		if bind.Buffer == nil {
			continue
		}
		own, err := p.bind(bind)
		if err != nil {
			return fmt.Errorf("launch %s: argument %s: %w", k.spec.Name, k.spec.Args[i].Name, err)
		}
		c.buffers[i] = own.memory.address + uint64(bind.Offset)
		c.uses = append(c.uses, enginekit.Use{Buffer: own, Write: k.spec.Args[i].Access != shaders.In})
	}
	fill := c.geometry
	if k.spec.Impl.Library != shaders.Own {
		fill = c.library
	}
	does, err := fill(k, l.Params)
	if does && err == nil {
		p.commands = append(p.commands, c)
	}
	return err
}

// geometry fills in the threads and the threadgroup memory; false if there is nothing to do.
func (c *command) geometry(k *kernel, params any) (bool, error) {
	l, err := k.spec.Launch(params, k.limits())
	for i := range 3 {
		if l.Groups[i] == 0 || l.Threads[i] == 0 {
			return false, nil
		}
	}
	if err != nil {
		return false, gpu.Errorf(gpu.ErrUnsupported, "launch", k.spec.Name, "%w", err)
	}
	if l.Grid != [3]uint32{} && !k.loaded.parts {
		return false, gpu.Errorf(gpu.ErrUnsupported, "launch", k.spec.Name, "a grid of %d × %d × %d threads in threadgroups of %d × %d × %d: on CUDA this kernel takes whole threadgroups only",
			l.Grid[0], l.Grid[1], l.Grid[2], l.Threads[0], l.Threads[1], l.Threads[2])
	}
	if err := k.engine.facts.checkGrid(k.spec.Name, l.Groups, l.Threads); err != nil {
		return false, err
	}
	c.module, c.params = &k.loaded.module, shaders.EncodeParams(params)
	c.groups, c.threads, c.grid = l.Groups, l.Threads, l.Grid
	for _, n := range l.Shared {
		c.threadgroups = append(c.threadgroups, c.shared)
		c.shared += n
	}
	if err := k.loaded.allow(k.engine.device, c.shared); err != nil {
		return false, k.engine.failed("launch", k.spec.Name, err)
	}
	return true, nil
}

// bind retains the buffer of b.
func (p *prepared) bind(b gpu.Binding) (*buffer, error) {
	return enginekit.Bind[*buffer](&p.Bindings, &p.engine.buffers, b.Buffer)
}

// place retains the buffer of b and returns its address.
func (p *prepared) place(b gpu.Binding) (uint64, error) {
	own, err := p.bind(b)
	if err != nil {
		return 0, err
	}
	return own.memory.address + uint64(b.Offset), nil
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
	if c.Bytes > 0 {
		p.commands = append(p.commands, command{kind: copyCommand, name: "copy", to: to, from: from, bytes: c.Bytes})
	}
	return nil
}

func (p *prepared) fill(f *gpu.Fill) error {
	to, err := p.place(f.To)
	if err != nil {
		return fmt.Errorf("fill: to: %w", err)
	}
	if f.Bytes > 0 {
		p.commands = append(p.commands, command{kind: fillCommand, name: "fill", to: to, bytes: f.Bytes, value: f.Value})
	}
	return nil
}

// addEvent adds a Signal or an Await.
func (p *prepared) addEvent(e gpu.Event, signal bool) error {
	own, err := enginekit.BindEvent[*event](&p.Program, e, signal)
	if err != nil {
		return err
	}
	c := command{kind: awaitCommand, name: "await", event: own.native}
	if signal {
		c.kind, c.name = signalCommand, "signal"
	}
	p.commands = append(p.commands, c)
	return nil
}
