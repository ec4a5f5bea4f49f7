//go:build (darwin || metalsim) && cgo

package metal

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// unsampledProduct is why the library's products have no time of their own.
const unsampledProduct = "the library encodes its products itself, where the engine takes no samples"

// batch is a command buffer before it is encoded.
type batch struct {
	label    string
	segments []segment
	commands []command
	bindings []bound
	params   []byte
	sampled  bool
}

// command is one dispatch that has something to do.
type command struct {
	pipeline           pipeline // none for a product
	product            product
	first, count       int // bindings
	params, paramBytes int
	groups, threads    [3]uint32
	barrier            bool
}

type bound struct {
	memory memory // none for an argument that does not exist
	offset int
}

// submission implements gpu.Submission and Staged.
type submission struct {
	enginekit.Submission
	engine  *engine
	batch   batch
	steps   []step // of the batch's commands
	buffers enginekit.Bindings
	run     run
	stages  []Stage // set before it ends
}

// prepare checks the dispatches and plans the command buffer.
func prepare(e *engine, dispatches []gpu.Dispatch) (*submission, error) {
	s := &submission{Submission: enginekit.NewSubmission(), engine: e}
	for i := range dispatches {
		if err := s.add(&dispatches[i]); err != nil {
			s.buffers.Drop()
			return nil, err
		}
	}
	o := e.options
	b := &s.batch
	b.label, b.sampled = summary(s.steps), o.Counters
	b.segments = segments(s.steps, o.Concurrent, o.Counters)
	if b.sampled && len(b.segments) > maxSampled {
		s.buffers.Drop()
		return nil, gpu.Errorf(gpu.ErrUnsupported, "submit", "", "%d dispatches, at most %d can be sampled by counters",
			len(b.segments), maxSampled)
	}
	for i, need := range barriers(s.steps, b.segments) {
		b.commands[i].barrier = need
	}
	return s, nil
}

// add checks a dispatch and appends its command.
func (s *submission) add(d *gpu.Dispatch) error {
	if err := d.Check(); err != nil {
		return err
	}
	k, ok := d.Kernel.(*kernel)
	if !ok || k.engine != s.engine {
		return gpu.Errorf(gpu.ErrInvalid, "dispatch", d.Kernel.Spec().Name, "the kernel is another engine's")
	}
	c := command{pipeline: k.pipeline, first: len(s.batch.bindings), count: len(d.Bindings)}
	st := step{name: k.spec.Name, product: k.spec.Library != shaders.Own}
	for i, b := range d.Bindings {
		if b.Buffer == nil {
			s.batch.bindings = append(s.batch.bindings, bound{})
			continue
		}
		own, err := enginekit.Bind[*buffer](&s.buffers, &s.engine.buffers, b.Buffer)
		if err != nil {
			return fmt.Errorf("dispatch %s: argument %s: %w", k.spec.Name, k.spec.Args[i].Name, err)
		}
		s.batch.bindings = append(s.batch.bindings, bound{own.memory, b.Offset})
		st.uses = append(st.uses, use{own, k.spec.Args[i].Access == shaders.Out})
	}
	does, err := s.launch(&c, k, d.Params)
	if err != nil || !does {
		return err
	}
	s.batch.commands = append(s.batch.commands, c)
	s.steps = append(s.steps, st)
	return nil
}

// launch fills in the geometry and the parameters; false if there is nothing to do.
func (s *submission) launch(c *command, k *kernel, params any) (bool, error) {
	if p, ok := productOf(&k.spec, params, k.constants); ok {
		c.product = p
		return p.m > 0 && p.n > 0, nil
	}
	l := k.spec.Launch(params)
	if nothing(l) {
		return false, nil
	}
	threads, err := fit(l, k.pipeline.maxThreads)
	if err != nil {
		return false, gpu.Errorf(gpu.ErrUnsupported, "dispatch", k.spec.Name, "%v", err)
	}
	c.groups, c.threads = l.Groups, threads
	encoded := shaders.EncodeParams(params)
	c.params, c.paramBytes = len(s.batch.params), len(encoded)
	s.batch.params = append(s.batch.params, encoded...)
	return true, nil
}

// finish waits for the command buffer, takes its time or error, and lets go of its buffers; true if it never ended.
func (s *submission) finish() (hung bool) {
	timing, err := gpu.Timing{}, error(nil)
	if hung = !s.run.wait(s.engine.patience().Seconds()); hung {
		err = s.engine.hang("run", s.batch.label) // Metal keeps the memory for it
	} else {
		timing, err = s.result(s.run.outcome())
	}
	s.buffers.Drop()
	s.forget()
	s.run.release()
	s.endSampling()
	s.Finish(timing, err)
	return hung
}

// endSampling lets another command buffer have a sample buffer.
func (s *submission) endSampling() {
	if s.batch.sampled {
		<-s.engine.sampling
	}
}

// forget lets go of what only the device needed, however long the caller keeps the submission.
func (s *submission) forget() {
	b := &s.batch
	s.steps, b.segments, b.commands, b.bindings, b.params = nil, nil, nil, nil, nil
}

// result is the time of a command buffer that has ended, or why there is none.
func (s *submission) result(o outcome) (gpu.Timing, error) {
	if err := s.engine.verdict(o, "run", s.batch.label); err != nil {
		return gpu.Timing{}, err
	}
	seconds, err := deviceSeconds(o, len(s.batch.commands) > 0)
	if err != nil {
		return gpu.Timing{}, fmt.Errorf("run %s: %w", s.batch.label, err)
	}
	if s.batch.sampled {
		s.stages = s.sampled()
	}
	return gpu.Timing{Device: seconds, Wall: o.wall}, nil
}

func (s *submission) sampled() []Stage {
	labels := make([]string, len(s.batch.segments))
	for i, seg := range s.batch.segments {
		labels[i] = seg.label
	}
	raw, tick := s.run.samples(2 * len(labels))
	all := stages(labels, raw, tick)
	for i, seg := range s.batch.segments {
		if seg.kind == productSegment {
			all[i] = Stage{Label: seg.label, Why: unsampledProduct}
		}
	}
	return all
}

// Stages waits like Wait, then tells the time of every dispatch that was encoded.
func (s *submission) Stages(ctx context.Context) ([]Stage, error) {
	if !s.batch.sampled {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "stages", s.batch.label, "the engine was opened without Options.Counters")
	}
	if _, err := s.Wait(ctx); err != nil {
		return nil, err
	}
	return s.stages, nil
}

// verdict is nil for a command buffer that did well, and notes what a failure means for the engine.
func (e *engine) verdict(o outcome, op, work string) error {
	if !o.failed {
		e.mu.Lock()
		e.revoked = false
		e.mu.Unlock()
		return nil
	}
	f := classify(o)
	err := failure(o, f, op, work)
	e.mu.Lock()
	again := e.revoked
	e.revoked = f.effect == suspect
	e.mu.Unlock()
	if f.effect == losing || f.effect == suspect && again {
		e.lose(err, e.options.Timeout)
	}
	if f.effect == suspect && again {
		return gpu.Errorf(gpu.ErrDeviceLost, op, work, "%v", err)
	}
	return err
}

// hang is the error for work that the device does not end. What waits behind it fails as on a lost device.
func (e *engine) hang(op, work string) error {
	if err := e.lossError(op, work); err != nil {
		return err
	}
	err := gpu.Errorf(gpu.ErrTimeout, op, work, "no end after %v; its memory stays the device's", e.options.Timeout)
	e.lose(err, afterLoss)
	return err
}
