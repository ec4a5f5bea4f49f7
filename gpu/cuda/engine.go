//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// Open opens the first device that can be used, or the one that ASSAY_CUDA_DEVICE names.
func Open() (gpu.Engine, error) { return OpenWith(Options{}) }

// OpenOn opens the device of that index, UUID or name.
func OpenOn(device string) (gpu.Engine, error) { return OpenWith(Options{Device: device}) }

// OpenWith opens the engine with options; ErrUnsupported if there is no driver or no such device; ErrDeviceLost if an earlier
// fault ended the use of CUDA in this process.
func OpenWith(o Options) (gpu.Engine, error) {
	o, err := o.complete(os.Getenv)
	if err != nil {
		return nil, err
	}
	d, err := openDriver(o.Library)
	if err != nil {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "open", "", "%s", absence(err))
	}
	if code := d.lost(); code != 0 {
		return nil, gpu.Errorf(gpu.ErrDeviceLost, "open", "", "%v", lossOf(code))
	}
	all, err := d.devices()
	if err != nil {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "open", "", "%v", err)
	}
	i, err := choose(all, o.Device)
	if err != nil {
		return nil, err
	}
	return newEngine(d, all, i, o)
}

// absence explains in plain words why the driver cannot be opened.
func absence(err error) string {
	if strings.Contains(err.Error(), "No such file or directory") {
		return "NVIDIA’s driver is not installed (" + err.Error() + ")"
	}
	return err.Error()
}

var (
	_ gpu.CompileLog     = (*engine)(nil)
	_ gpu.Compiler       = (*engine)(nil)
	_ gpu.Cached         = (*engine)(nil)
	_ gpu.MemoryReporter = (*engine)(nil)
	_ gpu.Losable        = (*engine)(nil)
	_ gpu.NoCopier       = (*engine)(nil)
	_ gpu.Encoder        = (*engine)(nil)
	_ gpu.Chooser        = (*engine)(nil)
	_ gpu.LibraryNamer   = (*engine)(nil)
)

// engine implements gpu.Engine and the optional interfaces.
type engine struct {
	device  device
	facts   facts
	info    gpu.Info
	devices []gpu.Device // all that the process saw when the engine was opened, this one first
	options Options
	copier  *copier
	params  arena
	frees   frees
	code    codeMemory
	blas    func() (blas, error) // opened when first requested

	buffers enginekit.Registry
	calls   enginekit.Gate // calls that use the device
	ctx     context.Context
	cancel  context.CancelFunc // ends compilers

	mu        sync.Mutex
	closed    bool
	lost      error     // why the device is lost; nil: it is not
	lostUntil time.Time // until then work in flight may still complete
	kernels   map[string]*compilation
	modules   map[[sha256.Size]byte]*loaded // by PTX
	compiles  []gpu.Compile
	queues    map[*queue]struct{}
}

func newEngine(d driver, all []facts, chosen int, o Options) (*engine, error) {
	f := all[chosen]
	native, err := d.open(f.index)
	if err != nil {
		return nil, gpu.Errorf(openKind(err), "open", "", "%v: %v", &f, err)
	}
	e := &engine{
		device: native, facts: f, info: describe(&f), options: o,
		kernels: map[string]*compilation{}, modules: map[[sha256.Size]byte]*loaded{}, queues: map[*queue]struct{}{},
	}
	e.params.engine = e
	e.blas = sync.OnceValues(e.openBLAS)
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.devices = listed(all, chosen)
	if e.copier, err = newCopier(e); err != nil {
		e.destroy()
		return nil, gpu.Errorf(openKind(err), "open", "", "%v: %v", &f, err)
	}
	return e, nil
}

// openKind returns the kind of an error while a device is opened: memory may be free later; everything else means that the device
// cannot be used.
func openKind(err error) error {
	if kindOf(err) == gpu.ErrOutOfMemory {
		return gpu.ErrOutOfMemory
	}
	return gpu.ErrUnsupported
}

// kindOf returns the gpu error kind of a driver's error.
func kindOf(err error) error {
	var native *codeError
	if errors.As(err, &native) {
		return meaningOf(native.code).kind
	}
	return gpu.ErrExecution
}

// gpuSample is the duration of samples: TestRealSampleDuration compares it with longer ones.
const gpuSample = 2 * time.Millisecond

func describe(f *facts) gpu.Info {
	return gpu.Info{
		Engine: "cuda", Device: f.name, Clock: "CUDA events (resolution about 0.5 µs)", GapWhy: "CUDA events are not on the host’s clock", Unified: f.integrated, GPU: true,
		Compute: f.major*10 + f.minor, Cores: f.multiprocessors,
		Features: f.features(), MaxBuffer: f.memory, WorkingSet: f.memory, LastLevelCache: f.l2, Bandwidth: f.bandwidth, SampleTime: gpuSample,
	}
}

// Info describes the engine.
func (e *engine) Info() gpu.Info {
	info := e.info
	info.Features = slices.Clone(info.Features)
	return info
}

// Memory counts buffers until their memory is released.
func (e *engine) Memory() gpu.Memory { return e.buffers.Memory() }

// DeviceMemory returns what is allocated on the device by all processes: the driver does not distinguish them.
func (e *engine) DeviceMemory() (gpu.DeviceMemory, error) {
	if err := e.enter("memory", ""); err != nil {
		return gpu.DeviceMemory{}, err
	}
	defer e.leave()
	free, total, err := e.device.memory()
	if err != nil {
		return gpu.DeviceMemory{}, e.failed("memory", e.info.Device, err)
	}
	return gpu.DeviceMemory{Allocated: int64(total - free)}, nil
}

// Devices lists the devices that the process saw when the engine was opened.
func (e *engine) Devices() (all []gpu.Device, how string) {
	return slices.Clone(e.devices), deviceVariable
}

// enter keeps the device from being released until leave. It fails if the engine is closed or the device is lost.
func (e *engine) enter(op, what string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable(op, what); err != nil {
		return err
	}
	e.calls.Enter()
	return nil
}

// usable returns an error if the engine is closed or the device is lost. The caller holds e.mu.
func (e *engine) usable(op, what string) error {
	if e.closed {
		return gpu.Errorf(gpu.ErrClosed, op, what, "")
	}
	if why := e.loss(); why != nil {
		return gpu.Errorf(gpu.ErrDeviceLost, op, what, "%v", why)
	}
	return nil
}

// loss returns why the device is lost, by this engine or another one of the process; nil: it is not. The caller holds e.mu.
func (e *engine) loss() error {
	if e.lost == nil {
		if code := e.device.driver.lost(); code != 0 {
			e.lost = lossOf(code)
			e.device.stop()
		}
	}
	return e.lost
}

func (e *engine) leave() { e.calls.Leave() }

// lose makes every later call fail with ErrDeviceLost. Work in flight may still complete within grace.
func (e *engine) lose(code int, why error, grace time.Duration) {
	e.device.driver.lose(code)
	e.device.stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost == nil {
		e.lost, e.lostUntil = why, time.Now().Add(grace)
	}
}

// lossError is the error of work in flight on a lost device; nil: the device is not lost.
func (e *engine) lossError(op, what string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if why := e.loss(); why != nil {
		return gpu.Errorf(gpu.ErrDeviceLost, op, what, "%v", why)
	}
	return nil
}

// Lost returns nil while the device can be used, otherwise an ErrDeviceLost with the reason.
func (e *engine) Lost() error { return e.lossError("use", e.info.Device) }

// timeout is how long to wait for the next submission.
func (e *engine) timeout() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost == nil {
		return e.options.Timeout
	}
	return max(0, min(e.options.Timeout, time.Until(e.lostUntil)))
}

// failed returns the gpu error for an error of the driver, which may have lost the device.
func (e *engine) failed(op, what string, err error) error {
	var native *codeError
	if !errors.As(err, &native) {
		return gpu.Errorf(gpu.ErrExecution, op, what, "%w", err)
	}
	m := meaningOf(native.code)
	if !m.sticky {
		return gpu.Errorf(m.kind, op, what, "%w", err)
	}
	if lost := e.lossError(op, what); lost != nil {
		return lost
	}
	out := gpu.Errorf(m.kind, op, what, "%w; %w", err, restart())
	e.lose(native.code, out, 0)
	return out
}

// afterLoss is how long work in flight may still take after the device hangs.
const afterLoss = time.Second

// hang is the error for work that does not end. The work that follows it fails as on a lost device.
func (e *engine) hang(op, work string) error {
	if err := e.lossError(op, work); err != nil {
		return err
	}
	err := gpu.Errorf(gpu.ErrTimeout, op, work, "did not end within %v; it ends only with this process, and what it uses is kept; %w",
		e.options.Timeout, restart())
	e.lose(codeStuck, err, afterLoss)
	return err
}

// Supports returns nil for every kernel with a source, although compiling it may fail, and for those of cuBLAS if it can be
// opened.
func (e *engine) Supports(k shaders.Kernel) error {
	if err := e.enter("kernel", k.Name); err != nil {
		return err
	}
	defer e.leave()
	switch {
	case len(k.Args) > maxBindings:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "%d arguments, at most %d can be bound", len(k.Args), maxBindings)
	case k.Impl.Library != shaders.Own:
		return e.supportsLibrary(&k)
	}
	return nil
}

// NewQueue opens a queue.
func (e *engine) NewQueue(label string) (gpu.Queue, error) {
	if err := e.enter("new queue", label); err != nil {
		return nil, err
	}
	defer e.leave()
	s, err := e.device.newStream()
	if err != nil {
		return nil, e.failed("new queue", label, err)
	}
	q := newQueue(e, s, label)
	e.mu.Lock()
	closed := e.closed
	e.queues[q] = struct{}{}
	e.mu.Unlock()
	if closed { // while the queue was being created, so Close missed it
		return nil, errors.Join(gpu.Errorf(gpu.ErrClosed, "new queue", label, ""), q.Close())
	}
	return q, nil
}
