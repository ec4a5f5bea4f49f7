package gputest

import (
	"bytes"
	"context"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"assay/gpu"
)

// Optional interfaces; engines without them skip these tests.
func optionalRequirements() []requirement {
	return []requirement{
		{name: "memory of the caller's is used where it is", run: optionalWrap},
		{name: "stages have times within that of the submission", run: optionalStages},
		{name: "concurrent launches keep their order where it matters", run: optionalConcurrent},
	}
}

func optionalWrap(r *rig) {
	engine, ok := gpu.As[gpu.NoCopier](r.engine)
	if !ok {
		r.t.Skip("the engine wraps no memory")
	}
	page := os.Getpagesize()
	pages, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	r.ok(err, "mmap")
	defer unix.Munmap(pages) //nolint:errcheck // the test ends
	var given atomic.Int32
	b, err := engine.Wrap(pages, "pages", func() { given.Add(1) })
	r.ok(err, "wrap")
	if b.Size() != 2*page || b.Storage() != gpu.Shared || r.engine.Memory().Buffers != 1 {
		r.t.Errorf("wrapped %d B: %d B, %v, Memory %+v", 2*page, b.Size(), b.Storage(), r.engine.Memory())
	}
	p := r.prepare(gpu.Fill{To: at(b, 0), Bytes: page, Value: 7})
	r.ok(b.Release(), "release")
	if given.Load() != 0 {
		r.t.Error("the memory was given back while a program uses it")
	}
	r.runs(p, 1)
	if !bytes.Equal(pages[:page], bytes.Repeat([]byte{7}, page)) || pages[page] != 0 {
		r.t.Error("the fill is not in the caller's memory, or beyond its end")
	}
	r.ok(p.Release(), "release")
	if given.Load() != 1 {
		r.t.Errorf("the memory was given back %d times", given.Load())
	}
	for _, bad := range [][]byte{nil, pages[:100], pages[8 : 8+page]} {
		_, err := engine.Wrap(bad, "no pages", nil)
		r.fails(err, "memory that is not whole pages", kind(gpu.ErrInvalid), "no pages")
	}
}

// encode prepares a program with options. If the engine does not support them, the subtest is skipped.
func (r *rig) encode(o gpu.Encoding, commands ...gpu.Command) gpu.Program {
	r.t.Helper()
	engine, ok := gpu.As[gpu.Encoder](r.engine)
	if !ok {
		r.t.Skip("the engine encodes programs in one way")
	}
	p, err := engine.PrepareWith(o, commands...)
	if err != nil {
		r.fails(err, "an encoding that is refused", kind(gpu.ErrUnsupported))
		r.t.Skip(err)
	}
	return p
}

func optionalStages(r *rig) {
	c := r.newChain(50_021)
	defer c.release()
	plain := r.encode(gpu.Encoding{}, gpu.Launches(c.steps(2)...)...)
	unasked, err := r.q().Submit(plain, 1)
	r.ok(err, "submit")
	_, err = gpu.Stages(context.Background(), unasked)
	r.fails(err, "stages that nobody asked for", kind(gpu.ErrUnsupported))
	r.ok(plain.Release(), "release")
	p := r.encode(gpu.Encoding{Stages: true}, gpu.Launches(c.steps(2)...)...)
	s, err := r.q().Submit(p, 3)
	r.ok(err, "submit")
	stages, err := gpu.Stages(context.Background(), s)
	r.ok(err, "stages")
	timing, err := s.Wait(context.Background())
	r.ok(err, "wait")
	if len(stages) != 6 {
		r.t.Errorf("%d stages of 2 launches × 3", len(stages))
	}
	sum := 0.0
	for i, stage := range stages {
		if stage.Label != "add_f32" || stage.Why == "" && stage.Seconds <= 0 || stage.Why != "" && stage.Seconds != 0 {
			r.t.Errorf("stage %d is %+v", i, stage)
		}
		sum += stage.Seconds
	}
	if sum <= 0 || sum > 1.1*timing.Device { // two clocks, read with an error
		r.t.Errorf("the stages took %g s, all together %g s", sum, timing.Device)
	}
	c.done += 4
	c.check()
	r.ok(p.Release(), "release")
}

func optionalConcurrent(r *rig) {
	c := r.newChain(10007)
	defer c.release()
	p := r.encode(gpu.Encoding{Concurrent: true}, gpu.Launches(c.steps(20)...)...)
	r.runs(p, 5)
	c.done += 80
	c.check()
	r.ok(p.Release(), "release")
}
