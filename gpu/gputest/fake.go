package gputest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
	"assay/shaders/catalog"
)

// fakeMaxBuffer is the largest buffer of a Fake, in bytes.
const fakeMaxBuffer = 1 << 32

// Fake is an engine without a device. It computes kernels through their references, and its times and faults come
// from a script. Equal programs get equal times, results and errors.
type Fake struct {
	script  Script
	buffers enginekit.Registry

	mu          sync.Mutex
	closed      bool
	lost        bool
	submissions int
	allocations int
	launching   int // submissions up to that of LastLaunching
	kernels     map[string]*fakeKernel
	queues      map[*fakeQueue]struct{}
}

var (
	_ gpu.Engine   = (*Fake)(nil)
	_ gpu.NoCopier = (*Fake)(nil)
	_ gpu.Encoder  = (*Fake)(nil)
)

// NewFake opens a fake engine with the script.
func NewFake(s Script) *Fake {
	s.Steps = slices.Clone(s.Steps)
	s.Allocations = maps.Clone(s.Allocations)
	s.Unsupported = maps.Clone(s.Unsupported)
	return &Fake{
		script: s, kernels: map[string]*fakeKernel{}, queues: map[*fakeQueue]struct{}{},
	}
}

// Submissions is the number of submissions accepted so far.
func (f *Fake) Submissions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.submissions
}

// LastLaunching is the number, from 0, of the last submission with launches whose stages are not timed; −1: there was none.
func (f *Fake) LastLaunching() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.launching - 1
}

// Kernels returns the kernels requested so far, ordered by ID.
func (f *Fake) Kernels() []shaders.Kernel {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []shaders.Kernel
	for _, id := range slices.Sorted(maps.Keys(f.kernels)) {
		list = append(list, f.kernels[id].spec)
	}
	return list
}

// Allocations is the number of calls of NewBuffer with a valid size.
func (f *Fake) Allocations() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.allocations
}

// Info reports that the engine is simulated.
func (f *Fake) Info() gpu.Info {
	return gpu.Info{
		Engine: cmp.Or(f.script.Kind, "fake"), Device: "scripted device", Clock: "the script", GapWhy: "scripted times have no host clock", Simulated: true, Unified: !f.script.Discrete,
		Compute:   f.script.Compute,
		MaxBuffer: fakeMaxBuffer, WorkingSet: f.script.MemoryLimit,
	}
}

// Memory counts live buffers.
func (f *Fake) Memory() gpu.Memory { return f.buffers.Memory() }

// usable returns an error if the engine is closed or the device is lost. The caller holds f.mu.
func (f *Fake) usable(op string) error {
	switch {
	case f.closed:
		return gpu.Errorf(gpu.ErrClosed, op, "", "the engine was closed")
	case f.lost:
		return gpu.Errorf(gpu.ErrDeviceLost, op, "", "an earlier submission lost it")
	}
	return nil
}

// NewBuffer allocates a buffer, unless the script makes it fail.
func (f *Fake) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	b := &fakeBuffer{}
	request := enginekit.Request{Bytes: bytes, Storage: storage, Label: label, Limit: fakeMaxBuffer}
	admit := func(live gpu.Memory) error { return f.admit(bytes, label, live.Bytes) }
	err := f.buffers.Allocate(&b.Buffer, request, admit, func() (free func(), err error) {
		b.data = make([]byte, bytes)
		return func() {}, nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Wrap makes a buffer from the caller's memory.
func (f *Fake) Wrap(mem []byte, label string, done func()) (gpu.Buffer, error) {
	if err := enginekit.CheckPages(mem, label); err != nil {
		return nil, err
	}
	b := &fakeBuffer{data: mem}
	request := enginekit.Request{Bytes: len(mem), Storage: gpu.Shared, Label: label, Limit: fakeMaxBuffer}
	admit := func(live gpu.Memory) error { return f.admit(len(mem), label, live.Bytes) }
	err := f.buffers.Allocate(&b.Buffer, request, admit, func() (free func(), err error) {
		if done == nil {
			done = func() {}
		}
		return done, nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// admit counts an allocation and reports whether the script allows it.
func (f *Fake) admit(bytes int, label string, live int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usable("allocate"); err != nil {
		return err
	}
	f.allocations++
	if err := f.script.Allocations[f.allocations]; err != nil {
		return gpu.Errorf(err, "allocate", "", "%q: %d B, allocation %d is scripted to fail", label, bytes, f.allocations)
	}
	if limit := f.script.MemoryLimit; limit > 0 && live+int64(bytes) > limit {
		return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B, %d B of %d B are live", label, bytes, live, limit)
	}
	return nil
}

// Supports returns nil for every known or generated kernel that the script does not exclude.
func (f *Fake) Supports(k shaders.Kernel) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.supports(k)
}

func (f *Fake) supports(k shaders.Kernel) error {
	if f.closed {
		return gpu.Errorf(gpu.ErrClosed, "support", k.Name, "the engine was closed")
	}
	if l := k.Impl.Library; l != shaders.Own && l != shaders.MPS {
		return gpu.Errorf(gpu.ErrUnsupported, "support", k.Name, "the library %s is not for GPUs", l)
	}
	if why, excluded := f.script.Unsupported[k.Name]; excluded {
		return gpu.Errorf(gpu.ErrUnsupported, "support", k.Name, "%s", why)
	}
	if why, excluded := f.script.Unsupported[k.Impl.Op.Name]; excluded && k.Impl.Source.Generated() { // its name has a hash
		return gpu.Errorf(gpu.ErrUnsupported, "support", k.Name, "%s", why)
	}
	if _, known := catalog.Find(k.Name); !known && !k.Impl.Source.Generated() {
		return gpu.Errorf(gpu.ErrUnsupported, "support", k.Name, "no kernel of this name is known")
	}
	return nil
}

// Recompile takes a time proportional to the size of the source, a tenth of it if warm.
func (f *Fake) Recompile(_ context.Context, k shaders.Kernel, cold bool) (gpu.Compile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmp.Or(f.usable("compile"), f.supports(k)); err != nil {
		return gpu.Compile{}, err
	}
	seconds := fakeCompile * float64(len(k.Impl.Source.Text()))
	if !cold {
		seconds /= 10
	}
	return gpu.Compile{Kernel: k.Name, Seconds: seconds, SourceSeconds: 0.75 * seconds, Warm: !cold}, nil
}

// Kernel stands for a compiled kernel.
func (f *Fake) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmp.Or(f.usable("compile"), f.supports(k)); err != nil {
		return nil, err
	}
	if err := k.CheckConstants(); err != nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "compile", k.Name, "%v", err)
	}
	key := k.ID()
	if f.kernels[key] == nil {
		f.kernels[key] = &fakeKernel{engine: f, spec: k}
	}
	return f.kernels[key], nil
}

// NewQueue opens a queue.
func (f *Fake) NewQueue(label string) (gpu.Queue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usable("open queue " + label); err != nil {
		return nil, err
	}
	q := &fakeQueue{engine: f, ended: make(chan struct{})}
	f.queues[q] = struct{}{}
	return q, nil
}

// Close waits for all queues and frees what is live.
func (f *Fake) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return gpu.Errorf(gpu.ErrClosed, "close", "", "the engine was closed before")
	}
	f.closed = true
	queues := slices.Collect(maps.Keys(f.queues))
	f.mu.Unlock()
	f.buffers.Close()
	for _, q := range queues {
		if err := q.Close(); err != nil && !errors.Is(err, gpu.ErrClosed) {
			return err
		}
	}
	return f.buffers.FreeLive()
}

// fakeKernel is a kernel of one Fake.
type fakeKernel struct {
	engine *Fake
	spec   shaders.Kernel
}

func (k *fakeKernel) Spec() *shaders.Kernel { return &k.spec }
