package gputest

import (
	"bytes"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/internal/race"
	"assay/shaders"
)

// fakeEvent is an event of one Fake.
type fakeEvent struct {
	enginekit.Event
	pending []*fakeSubmission // signal it and have no await submitted; guarded by the engine's mu
}

// NewEvent creates an event.
func (f *Fake) NewEvent(label string) (gpu.Event, error) {
	e := &fakeEvent{}
	if err := e.Open(&f.buffers, label, func() {}); err != nil {
		return nil, err
	}
	return e, nil
}

// fakeProgram is a program of one Fake.
type fakeProgram struct {
	enginekit.Program
	engine          *Fake
	work            []func(wrong bool) // the commands; wrong makes them corrupt their outputs
	signals, awaits []*fakeEvent
	seconds         float64     // of one run
	stages          []gpu.Stage // of one run, if requested
	kernel          string      // the first, which errors name
}

// Prepare resolves the commands.
func (f *Fake) Prepare(list ...gpu.Command) (gpu.Program, error) {
	return f.PrepareWith(gpu.Encoding{}, list...)
}

// PrepareWith is Prepare, with times of the commands if requested. Launches always run in order.
func (f *Fake) PrepareWith(o gpu.Encoding, list ...gpu.Command) (gpu.Program, error) {
	f.mu.Lock()
	err := f.usable("prepare")
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	p := &fakeProgram{engine: f}
	if err := p.Open(&f.buffers, func() {}, list); err != nil {
		return nil, err
	}
	p.seconds = seconds(list)
	for _, c := range list {
		if err := p.add(c); err != nil {
			p.Abandon()
			return nil, err
		}
		if o.Stages {
			p.stages = append(p.stages, gpu.Stage{Label: label(c), Seconds: seconds([]gpu.Command{c})})
		}
	}
	if err := p.Finish(); err != nil {
		return nil, err
	}
	return p, nil
}

// label names a command in the times of stages.
func label(c gpu.Command) string {
	switch c := c.(type) {
	case gpu.Launch:
		return c.Kernel.Spec().Name
	case gpu.Copy:
		return "copy"
	case gpu.Fill:
		return "fill"
	case gpu.Signal:
		return "signal"
	}
	return "await"
}

func (p *fakeProgram) add(c gpu.Command) error {
	switch c := c.(type) {
	case gpu.Launch:
		return p.launch(&c)
	case gpu.Copy:
		return p.copy(&c)
	case gpu.Fill:
		to, err := p.bytes(c.To, c.Bytes)
		p.work = append(p.work, func(bool) { enginekit.FillBytes(to, c.Value) })
		return err
	case gpu.Signal:
		e, err := enginekit.BindEvent[*fakeEvent](&p.Program, c.Event, true)
		p.signals = append(p.signals, e)
		return err
	case gpu.Await:
		e, err := enginekit.BindEvent[*fakeEvent](&p.Program, c.Event, false)
		p.awaits = append(p.awaits, e)
		return err
	}
	return nil
}

func (p *fakeProgram) copy(c *gpu.Copy) error {
	from, err := p.bytes(c.From, c.Bytes)
	if err != nil {
		return fmt.Errorf("copy: from: %w", err)
	}
	to, err := p.bytes(c.To, c.Bytes)
	if err != nil {
		return fmt.Errorf("copy: to: %w", err)
	}
	p.work = append(p.work, func(bool) { copy(to, from) })
	return nil
}

// bytes retains the buffer of b and returns n bytes of it.
func (p *fakeProgram) bytes(b gpu.Binding, n int) ([]byte, error) {
	own, err := enginekit.Bind[*fakeBuffer](&p.Bindings, &p.engine.buffers, b.Buffer)
	if err != nil {
		return nil, err
	}
	return own.data[b.Offset:][:n], nil
}

// fakeWork is one launch with its memory.
type fakeWork struct {
	spec   *shaders.Kernel
	params any
	args   []shaders.View
	// The content of every argument before and after the last computation. With the same content it need not be computed again: a
	// workload repeats a launch hundreds of times.
	before, after [][]byte
}

// launch checks what gpu.Check cannot: that kernel and buffers belong to the engine.
func (p *fakeProgram) launch(l *gpu.Launch) error {
	k, ok := l.Kernel.(*fakeKernel)
	if !ok || k.engine != p.engine {
		return gpu.Errorf(gpu.ErrInvalid, "launch", l.Kernel.Spec().Name, "the kernel belongs to another engine")
	}
	if p.kernel == "" {
		p.kernel = k.spec.Name
	}
	w := fakeWork{spec: &k.spec, params: l.Params, args: make([]shaders.View, len(l.Bindings))}
	for i, bind := range l.Bindings {
		if bind.Buffer == nil {
			continue
		}
		arg := &k.spec.Args[i]
		data, err := p.bytes(bind, k.spec.Bytes(i, l.Params))
		if err != nil {
			return fmt.Errorf("launch %s: argument %s: %w", k.spec.Name, arg.Name, err)
		}
		w.args[i] = shaders.View{Type: arg.Type, Data: data}
	}
	p.work = append(p.work, func(wrong bool) {
		w.compute()
		if wrong {
			w.corrupt()
		}
	})
	return nil
}

// compute sets every element of every output to its reference.
func (w *fakeWork) compute() {
	if w.repeats() {
		for _, i := range w.spec.Outputs() {
			copy(w.args[i].Data, w.after[i])
		}
		return
	}
	w.before = w.held()
	w.reference()
	w.after = w.held()
}

// repeats reports whether all inputs have the same content as the last time.
func (w *fakeWork) repeats() bool {
	if w.before == nil {
		return false
	}
	for i, a := range w.spec.Args {
		if a.Access != shaders.Out && !bytes.Equal(w.args[i].Data, w.before[i]) {
			return false
		}
	}
	return true
}

// held returns a copy of the arguments' content.
func (w *fakeWork) held() [][]byte {
	held := make([][]byte, len(w.args))
	for i, a := range w.args {
		held[i] = bytes.Clone(a.Data)
	}
	return held
}

// reference computes the outputs, the last first: the reference of a quantizer's codes uses the scales and zero points of
// later outputs. In-out arguments are read as they were before.
func (w *fakeWork) reference() {
	read := slices.Clone(w.args)
	for i, a := range w.spec.Args {
		if a.Access == shaders.InOut {
			read[i].Data = bytes.Clone(read[i].Data)
		}
	}
	call := w.spec.Call(w.params).Remembering()
	for _, arg := range slices.Backward(w.spec.Outputs()) {
		race.Writes(w.args[arg].Data) // the race run does not instrument package shaders
		for i := range w.spec.Len(arg, w.params) {
			w.args[arg].Set(i, w.spec.Impl.Op.Reference(call, read, arg, i).Want)
		}
	}
}

// corrupt makes the middle element of every output wrong by more than any tolerance.
func (w *fakeWork) corrupt() {
	for _, arg := range w.spec.Outputs() {
		n := w.spec.Len(arg, w.params)
		if n == 0 {
			continue
		}
		v := w.args[arg]
		was, wrong := v.At(n/2), 7.0
		switch {
		case v.Type.Float():
			wrong = 2*was + 1000
		case was > 0:
			wrong = -7
		}
		v.Set(n/2, wrong)
	}
}
