//go:build (darwin || metalsim) && cgo

package metal

import (
	"fmt"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// batch is a program before it is encoded.
type batch struct {
	label    string
	segments []segment
	commands []command
	bindings []bound
	params   []byte
	sampled  bool
}

// encodes reports whether the device has anything to do other than signaling and awaiting events.
func (b *batch) encodes() bool {
	for _, s := range b.segments {
		if s.kind < signalSegment {
			return true
		}
	}
	return false
}

// command is a gpu.Command that is not empty.
type command struct {
	pipeline           pipeline  // none for a library's operation
	library            libraryOp // none for a pipeline
	first, count       int       // bindings
	params, paramBytes int
	groups, threads    [3]uint32
	grid               [3]uint32      // of threads; 0: whole threadgroups
	shared             [maxShared]int // bytes of the threadgroup arguments; 0: none
	barrier            bool
	blit               blit
	event              sharedEvent
}

type bound struct {
	memory memory // zero for an argument that does not exist
	offset int
}

// blit is a copy, or a fill if from has no memory.
type blit struct {
	from, to bound
	bytes    int
	value    byte
}

// event implements gpu.Event.
type event struct {
	enginekit.Event
	engine *engine
	native sharedEvent
}

// NewEvent creates an event.
func (e *engine) NewEvent(label string) (gpu.Event, error) {
	if err := e.enter("new event", label); err != nil {
		return nil, err
	}
	defer e.leave()
	native, err := e.device.newEvent(label)
	if err != nil {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "new event", label, "%w", err)
	}
	out := &event{engine: e, native: native}
	if err := out.Open(&e.buffers, label, native.release); err != nil {
		return nil, err
	}
	return out, nil
}

// eventUse is one Signal or Await of a program.
type eventUse struct {
	event  *event
	signal bool
	nth    int // among the commands of its kind on that event in one run, from 0
}

// prepared implements gpu.Program.
type prepared struct {
	enginekit.Program
	engine *engine
	batch  batch // for planning; its label and segments are kept
	steps  []step
	events []eventUse
	native program

	operations []*operation // of libraries
}

// Prepare plans the command buffer that metal_submit encodes.
func (e *engine) Prepare(list ...gpu.Command) (gpu.Program, error) {
	return e.PrepareWith(gpu.Encoding{}, list...)
}

// PrepareWith is Prepare with encoding options. With Stages, each command gets its own encoder, whose start and end are
// sampled.
func (e *engine) PrepareWith(o gpu.Encoding, list ...gpu.Command) (gpu.Program, error) {
	if o.Stages && !e.caps.stageCounters {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "prepare", "", "%s cannot sample counters at encoder boundaries", e.info.Device)
	}
	if err := e.enter("prepare", ""); err != nil {
		return nil, err
	}
	defer e.leave()
	p := &prepared{engine: e}
	if err := p.Open(&e.buffers, p.free, list); err != nil {
		return nil, err
	}
	if err := p.plan(o, list); err != nil {
		p.abandon()
		return nil, err
	}
	var ok bool
	if p.native, ok = newProgram(&p.batch); !ok {
		p.abandon()
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "prepare", p.batch.label, "not enough memory for %d commands", len(list))
	}
	p.steps, p.batch.commands, p.batch.bindings, p.batch.params = nil, nil, nil, nil
	if err := p.Finish(); err != nil {
		return nil, err
	}
	return p, nil
}

// free frees the encoded program, which no run uses any more.
func (p *prepared) free() {
	p.native.release()
	p.engine.dropOperations(p.operations)
}

// abandon releases what was planned if encoding fails.
func (p *prepared) abandon() {
	p.Abandon()
	p.engine.dropOperations(p.operations)
}

func (p *prepared) plan(o gpu.Encoding, list []gpu.Command) error {
	for _, c := range list {
		if err := p.add(c); err != nil {
			return err
		}
	}
	b := &p.batch
	b.label, b.sampled = summary(p.steps), o.Stages
	b.segments = segments(p.steps, o.Concurrent, o.Stages)
	for i, need := range barriers(p.steps, b.segments) {
		b.commands[i].barrier = need
	}
	return nil
}

func (p *prepared) add(c gpu.Command) error {
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

func (p *prepared) append(c command, s step) {
	p.batch.commands = append(p.batch.commands, c)
	p.steps = append(p.steps, s)
}

func (p *prepared) launch(l *gpu.Launch) error {
	k, ok := l.Kernel.(*kernel)
	if !ok || k.engine != p.engine {
		return gpu.Errorf(gpu.ErrInvalid, "launch", l.Kernel.Spec().Name, "the kernel belongs to another engine")
	}
	b := &p.batch
	c := command{pipeline: k.pipeline, first: len(b.bindings), count: len(l.Bindings)}
	st := step{name: k.spec.Name}
	if k.spec.Impl.Library != shaders.Own {
		st.kind = librarySegment
	}
	for i, bind := range l.Bindings {
		if bind.Buffer == nil {
			if st.kind != librarySegment { // the library gets only the arguments that exist
				b.bindings = append(b.bindings, bound{})
			}
			continue
		}
		at, u, err := p.place(bind, k.spec.Args[i].Access != shaders.In)
		if err != nil {
			return fmt.Errorf("launch %s: argument %s: %w", k.spec.Name, k.spec.Args[i].Name, err)
		}
		b.bindings = append(b.bindings, at)
		st.uses = append(st.uses, u)
	}
	does, err := p.geometry(&c, k, l.Params)
	if err != nil || !does {
		return err
	}
	p.append(c, st)
	return nil
}

// place retains the buffer of b and returns its memory and offset.
func (p *prepared) place(b gpu.Binding, write bool) (bound, use, error) {
	own, err := enginekit.Bind[*buffer](&p.Bindings, &p.engine.buffers, b.Buffer)
	if err != nil {
		return bound{}, use{}, err
	}
	return bound{own.memory, b.Offset}, use{Buffer: own, Write: write}, nil
}

// libraryOp fills in a library operation; false if there is nothing to do.
func (p *prepared) libraryOp(c *command, k *kernel, params any) (bool, error) {
	if !writes(&k.spec, params) { // the library does not accept empty operands
		return false, nil
	}
	op, err := p.engine.operation(k, params)
	if err != nil {
		return false, err
	}
	p.operations = append(p.operations, op)
	c.library = op.native
	return true, nil
}

// geometry fills in the threads and the parameters; false if there is nothing to do.
func (p *prepared) geometry(c *command, k *kernel, params any) (bool, error) {
	if k.spec.Impl.Library != shaders.Own {
		return p.libraryOp(c, k, params)
	}
	l, err := k.spec.Launch(params, shaders.Limits{Threads: k.pipeline.maxThreads, Shared: p.engine.caps.maxThreadgroupMemory})
	if nothing(l) {
		return false, nil
	}
	if err != nil {
		return false, gpu.Errorf(gpu.ErrUnsupported, "launch", k.spec.Name, "%w", err)
	}
	c.groups, c.threads, c.grid = l.Groups, l.Threads, l.Grid
	copy(c.shared[:], l.Shared)
	encoded := shaders.EncodeParams(params)
	c.params, c.paramBytes = len(p.batch.params), len(encoded)
	p.batch.params = append(p.batch.params, encoded...)
	return true, nil
}

func (p *prepared) copy(c *gpu.Copy) error {
	from, read, err := p.place(c.From, false)
	if err != nil {
		return fmt.Errorf("copy: from: %w", err)
	}
	to, write, err := p.place(c.To, true)
	if err != nil {
		return fmt.Errorf("copy: to: %w", err)
	}
	if c.Bytes > 0 { // Metal does not allow empty copies
		p.append(command{blit: blit{from: from, to: to, bytes: c.Bytes}},
			step{name: "copy", kind: blitSegment, uses: []use{read, write}})
	}
	return nil
}

func (p *prepared) fill(f *gpu.Fill) error {
	to, write, err := p.place(f.To, true)
	if err != nil {
		return fmt.Errorf("fill: to: %w", err)
	}
	if f.Bytes > 0 {
		p.append(command{blit: blit{to: to, bytes: f.Bytes, value: f.Value}},
			step{name: "fill", kind: blitSegment, uses: []use{write}})
	}
	return nil
}

// addEvent adds a Signal or an Await.
func (p *prepared) addEvent(e gpu.Event, signal bool) error {
	own, err := enginekit.BindEvent[*event](&p.Program, e, signal)
	if err != nil {
		return err
	}
	u, s := eventUse{event: own, signal: signal}, step{name: "await", kind: awaitSegment}
	if signal {
		s = step{name: "signal", kind: signalSegment}
	}
	for _, other := range p.events {
		if other.event == own && other.signal == signal {
			u.nth++
		}
	}
	p.events = append(p.events, u)
	p.append(command{event: own.native}, s)
	return nil
}

// values are the event values for a submission of repeat runs that is about to be committed.
func (p *prepared) values(repeat int) []eventValues {
	var out []eventValues
	for _, u := range p.events {
		step := 0 // commands of that kind on that event in one run
		for _, other := range p.events {
			if other.event == u.event && other.signal == u.signal {
				step++
			}
		}
		signals, last := u.event.Submitted()
		if u.signal {
			last = signals
		}
		out = append(out, valuesFrom(last-step*repeat+u.nth+1, step))
	}
	return out
}
