// Package cpu is the engine that runs every kernel on the machine's own cores: C loops behind one Go file, in the best
// vector instructions that the processor has. It opens everywhere.
package cpu

import (
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"assay/gpu"
	"assay/shaders"
)

// largeBytes is how much is allocated, at once or bit by bit, before the system is asked again what memory is left.
const largeBytes = 64 << 20

// Options choose how an engine runs. The zero value takes the best of everything.
type Options struct {
	ISA     string // one of ISAs; empty: the best
	Threads int    // including the one that submits work; 0: GOMAXPROCS, the cores this process may use
}

// ISAs lists the instruction sets that this machine runs, best first: of avx512, avx2, neon and plain.
func ISAs() []string {
	var names []string
	for _, i := range foundISAs() {
		names = append(names, i.name())
	}
	return names
}

// Open opens the engine with the machine's best instructions on all its cores.
func Open() (gpu.Engine, error) { return OpenWith(Options{}) }

// OpenWith opens the engine as o says. ErrUnsupported if the machine lacks o.ISA, ErrInvalid for an impossible number
// of threads.
func OpenWith(o Options) (gpu.Engine, error) {
	threads := o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0) // heeds the affinity and quota that NumCPU does not
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
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "open", "", "the system gives no %d threads", threads)
	}
	memory, _ := readMemory() // zeros if it is unknown
	e := &engine{
		pool: pool, info: describe(set, threads, memory), base: memory.resident,
		kernels: map[string]*kernel{}, buffers: map[*buffer]struct{}{}, queues: map[*queue]struct{}{},
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

func describe(set isa, threads int, m systemMemory) gpu.Info {
	info := gpu.Info{
		Engine: "cpu", Device: deviceName(), Clock: "monotonic clock of the host, read around the dispatches",
		Unified: true, Cores: threads, MaxBuffer: math.MaxInt64,
	}
	for _, name := range ISAs() {
		if name == set.name() {
			name += " (in use)"
		}
		info.Features = append(info.Features, name)
	}
	if m.total > 0 {
		info.MaxBuffer, info.WorkingSet = m.total, m.total
	}
	return info
}

// engine implements gpu.Engine.
type engine struct {
	pool threadPool
	info gpu.Info
	base int64 // resident bytes of the process before its first buffer; 0: unknown

	mu      sync.Mutex
	closed  bool
	memory  gpu.Memory
	unasked int64 // bytes booked since the system was asked what memory is left
	kernels map[string]*kernel
	buffers map[*buffer]struct{}
	queues  map[*queue]struct{}
}

// Info describes the engine.
func (e *engine) Info() gpu.Info {
	info := e.info
	info.Features = slices.Clone(info.Features)
	return info
}

// Memory counts buffers until their memory is given back.
func (e *engine) Memory() gpu.Memory {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.memory
}

// Supports is nil for the own kernels of shaders.
func (e *engine) Supports(k shaders.Kernel) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.supports(&k)
}

func (e *engine) supports(k *shaders.Kernel) error {
	if e.closed {
		return gpu.Errorf(gpu.ErrClosed, "kernel", k.Name, "")
	}
	if k.Library != shaders.Own {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "the CPU engine does not have the library %s", k.Library)
	}
	if _, ok := findProgram(k); !ok {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "the CPU engine has no C code for it")
	}
	return nil
}

// Kernel finds the C code for k.
func (e *engine) Kernel(k shaders.Kernel, c shaders.Constants) (gpu.Kernel, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.supports(&k); err != nil {
		return nil, err
	}
	if err := k.CheckConstants(c); err != nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "kernel", k.Name, "%v", err)
	}
	key := k.Name + "," + c.Key()
	if have, ok := e.kernels[key]; ok {
		return have, nil
	}
	p, _ := findProgram(&k)
	out := &kernel{spec: k, constants: maps.Clone(c), program: p, engine: e}
	e.kernels[key] = out
	return out, nil
}

// NewBuffer allocates on the host. It refuses what the machine has no memory for now, since a system that promises
// more than it has kills the process later.
func (e *engine) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	if storage > gpu.Private {
		return nil, gpu.Errorf(gpu.ErrInvalid, "allocate", "", "%q: storage mode %d", label, uint8(storage))
	}
	if err := e.reserve(bytes, label); err != nil {
		return nil, err
	}
	mem := allocate(bytes)
	if mem == nil {
		e.unbook(bytes, nil)
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B, the system refused", label, bytes)
	}
	b := &buffer{engine: e, mem: mem, size: bytes, storage: storage, label: label, refs: 1}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed { // closed in the meantime
		e.memory.Bytes -= int64(bytes)
		e.memory.Buffers--
		release(mem, bytes)
		return nil, gpu.Errorf(gpu.ErrClosed, "allocate", "", "%q", label)
	}
	e.buffers[b] = struct{}{}
	return b, nil
}

// reserve books bytes if they are to be had.
func (e *engine) reserve(bytes int, label string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return gpu.Errorf(gpu.ErrClosed, "allocate", "", "%q", label)
	}
	if err := gpu.CheckSize(bytes, e.info.MaxBuffer, label); err != nil {
		return err
	}
	if left := e.left(int64(bytes)); int64(bytes) > left {
		return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B, %d B are available", label, bytes, left)
	}
	e.memory.Bytes += int64(bytes)
	e.memory.Buffers++
	return nil
}

// left is how much memory there is for the next buffer, of that many bytes.
func (e *engine) left(bytes int64) int64 {
	left := e.info.MaxBuffer - e.memory.Bytes
	e.unasked += bytes
	if e.unasked < largeBytes {
		return left
	}
	e.unasked = 0
	if m, err := readMemory(); err == nil {
		left = min(left, m.spare(e.memory.Bytes, e.base))
	}
	return max(0, left)
}

// unbook takes a buffer out of the books; b is nil if it never came to be.
func (e *engine) unbook(bytes int, b *buffer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.memory.Bytes -= int64(bytes)
	e.memory.Buffers--
	delete(e.buffers, b)
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
	for _, q := range queues {
		q.shut()
	}
	e.pool.close()
	return e.freeLive()
}

// freeLive releases the buffers that the caller has not, and reports them.
func (e *engine) freeLive() error {
	e.mu.Lock()
	live := slices.Collect(maps.Keys(e.buffers))
	e.mu.Unlock()
	var labels []string
	var bytes int64
	for _, b := range live {
		if b.Release() != nil {
			continue // released by its owner just now
		}
		labels = append(labels, b.label)
		bytes += int64(b.size)
	}
	return gpu.LeftLive(labels, bytes)
}
