// Package cpu is the engine that runs every kernel on the machine's cores: C loops behind one Go file, using the processor's best
// vector instructions. It can be opened on every machine.
package cpu

import (
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"assay/gpu"
	"assay/gpu/cpu/internal/machine"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// largeBytes is the maximum that may be allocated, in one buffer or several, before the available memory is queried again.
const largeBytes = 64 << 20

// Options configure an engine. The zero value selects the best instruction set and all cores.
type Options struct {
	ISA     string // one of ISAs; empty: the best
	Threads int    // including the one that submits work; 0: GOMAXPROCS, the cores available to this process
}

// ISAs lists the instruction sets that this machine supports, best first, out of amx (avx512vnni and tile products), avx512bf16
// (avx512vnni and bfloat16 products), avx512vnni (avx512 and byte products), avx512, avxvnni (avx2 and byte products), avx2, neon
// and plain.
func ISAs() []string {
	var names []string
	for _, i := range foundISAs() {
		names = append(names, i.name())
	}
	return names
}

// Open opens the engine with the machine's best instruction set on all its cores.
func Open() (gpu.Engine, error) { return OpenWith(Options{}) }

// OpenWith opens the engine with options: ErrUnsupported if the machine does not support o.ISA, ErrInvalid for an invalid
// number of threads.
func OpenWith(o Options) (gpu.Engine, error) {
	threads := o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0) // unlike NumCPU, respects affinity and quota
	}
	if threads < 1 || threads > 4096 {
		return nil, gpu.Errorf(gpu.ErrInvalid, "open", "", "%d threads, want 1…4096", o.Threads)
	}
	set, err := chooseISA(o.ISA)
	if err != nil {
		return nil, err
	}
	pool, ok := openPool(set, threads)
	if !ok {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "open", "", "cannot start %d threads", threads)
	}
	memory, _ := machine.ReadMemory() // zeros if unknown
	e := &engine{
		pool: pool, info: describe(set, threads, memory), base: memory.Resident,
		kernels: map[string]*kernel{}, queues: map[*queue]struct{}{},
	}
	return e, nil
}

func chooseISA(name string) (isa, error) {
	found := foundISAs()
	if name == "" {
		return found[0], nil
	}
	i := slices.IndexFunc(found, func(s isa) bool { return s.name() == name })
	if i < 0 {
		return isa{}, gpu.Errorf(gpu.ErrUnsupported, "open", "", "instruction set %q; this machine runs %s", name,
			strings.Join(ISAs(), ", "))
	}
	return found[i], nil
}

func describe(set isa, threads int, m machine.Memory) gpu.Info {
	info := gpu.Info{
		Engine: "cpu", Device: machine.Name(), Clock: "monotonic clock of the host, read around the dispatches",
		Unified: true, Untuned: true, Cores: threads, MaxBuffer: math.MaxInt64, LastLevelCache: machine.LastLevelCache(),
	}
	for _, name := range ISAs() {
		if name == set.name() {
			name += " (in use)"
		}
		info.Features = append(info.Features, name)
	}
	if m.Total > 0 {
		info.MaxBuffer, info.WorkingSet = m.Total, m.Total
	}
	return info
}

// engine implements gpu.Engine.
type engine struct {
	pool    threadPool
	info    gpu.Info
	base    int64 // resident bytes of the process before its first buffer; 0: unknown
	buffers enginekit.Registry
	unasked int64 // bytes reserved since the available memory was last queried; guarded by buffers

	mu      sync.Mutex
	closed  bool
	kernels map[string]*kernel
	queues  map[*queue]struct{}
}

// Info describes the engine.
func (e *engine) Info() gpu.Info {
	info := e.info
	info.Features = slices.Clone(info.Features)
	return info
}

// Memory counts buffers until their memory is released.
func (e *engine) Memory() gpu.Memory { return e.buffers.Memory() }

// lacks is what only GPUs have.
const lacks = shaders.SIMDGroupMatrix | shaders.Threadgroups

// Supports returns nil for the built-in kernels of shaders, except for those that need what only GPUs have.
func (e *engine) Supports(k shaders.Kernel) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.supports(&k)
}

func (e *engine) supports(k *shaders.Kernel) error {
	if e.closed {
		return gpu.Errorf(gpu.ErrClosed, "kernel", k.Name, "")
	}
	if err := lacksLibrary(k, e.info.Cores); err != nil {
		return err
	}
	if missing := k.Impl.Needs & lacks; missing != 0 {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "needs %v, which the CPU engine does not have", missing)
	}
	if _, ok := findCode(k); !ok {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "the CPU engine has no C code for it")
	}
	return nil
}

// lacksLibrary returns why a library's kernel cannot run on that many threads.
func lacksLibrary(k *shaders.Kernel, threads int) error {
	if k.Impl.Library == shaders.Own {
		return nil
	}
	why, known := libraryLacks(string(k.Impl.Library), threads)
	switch {
	case !known:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "the CPU engine does not have %s", k.Impl.Library.Short())
	case why != "":
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "%s", why)
	}
	return nil
}

// LibraryName returns the version of the library that runs k, the processor it detected, and its threads.
func (e *engine) LibraryName(k shaders.Kernel) string {
	return libraryName(string(k.Impl.Library), e.info.Cores)
}

// Worked returns the CPU time of the engine's threads, which only run command buffers.
func (e *engine) Worked() (gpu.Worked, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return gpu.Worked{}, gpu.Errorf(gpu.ErrClosed, "CPU time", "", "")
	}
	seconds, elsewhere := e.pool.worked()
	if elsewhere < 0 {
		return gpu.Worked{}, gpu.Errorf(gpu.ErrUnsupported, "CPU time", "", "the system does not report the CPU time of threads")
	}
	return gpu.Worked{Seconds: seconds, Elsewhere: elsewhere}, nil
}

// Kernel finds the C code for k.
func (e *engine) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.supports(&k); err != nil {
		return nil, err
	}
	if err := k.CheckConstants(); err != nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "kernel", k.Name, "%v", err)
	}
	key := k.ID()
	if have, ok := e.kernels[key]; ok {
		return have, nil
	}
	c, _ := findCode(&k)
	out := &kernel{spec: k, constants: constantsOf(&k), code: c, engine: e}
	e.kernels[key] = out
	return out, nil
}

// NewBuffer allocates on the host. It fails if the machine does not have the memory now: a system that overcommits memory would
// kill the process later.
func (e *engine) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	b := &buffer{}
	request := enginekit.Request{Bytes: bytes, Storage: storage, Label: label, Limit: e.info.MaxBuffer}
	admit := func(live gpu.Memory) error {
		if left := e.left(int64(bytes), live.Bytes); int64(bytes) > left {
			return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B, %d B are available", label, bytes, left)
		}
		return nil
	}
	err := e.buffers.Allocate(&b.Buffer, request, admit, func() (free func(), err error) {
		if b.mem = allocate(bytes); b.mem == nil {
			return nil, gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B, the system refused", label, bytes)
		}
		return func() { release(b.mem, bytes) }, nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Wrap makes a buffer from the caller's pages.
func (e *engine) Wrap(mem []byte, label string, done func()) (gpu.Buffer, error) {
	if err := enginekit.CheckPages(mem, label); err != nil {
		return nil, err
	}
	if done == nil {
		done = func() {}
	}
	b := &buffer{mem: unsafe.Pointer(unsafe.SliceData(mem))}
	request := enginekit.Request{Bytes: len(mem), Storage: gpu.Shared, Label: label, Limit: e.info.MaxBuffer}
	if err := e.buffers.Allocate(&b.Buffer, request, nil, func() (func(), error) { return done, nil }); err != nil {
		return nil, err
	}
	return b, nil
}

// left returns the memory available for the next buffer, which has that many bytes. The registry serializes the calls.
func (e *engine) left(bytes, live int64) int64 {
	left := e.info.MaxBuffer - live
	e.unasked += bytes
	if e.unasked < min(largeBytes, e.info.MaxBuffer/64) { // containers may have little
		return left
	}
	e.unasked = 0
	if m, err := machine.ReadMemory(); err == nil {
		left = min(left, m.Spare(live, e.base)-m.Reserve())
	}
	return max(0, left)
}

// NewQueue starts a queue.
func (e *engine) NewQueue(label string) (gpu.Queue, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, gpu.Errorf(gpu.ErrClosed, "new queue", "", "%q", label)
	}
	s, ok := e.pool.openStream()
	if !ok {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "new queue", "", "%q", label)
	}
	q := newQueue(e, s, label)
	e.queues[q] = struct{}{}
	return q, nil
}

// Close waits for all queues, then frees threads and memory.
func (e *engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return gpu.Errorf(gpu.ErrClosed, "close", "", "")
	}
	e.closed = true
	queues := slices.Collect(maps.Keys(e.queues))
	e.mu.Unlock()
	e.buffers.Close()
	for _, q := range queues {
		q.shut()
	}
	e.pool.close()
	return e.buffers.FreeLive()
}
