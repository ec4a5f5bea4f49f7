//go:build (darwin || metalsim) && cgo

package metal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// Open opens the best device, or the one that ASSAY_METAL_DEVICE names.
func Open() (gpu.Engine, error) { return OpenWith(Options{}) }

// OpenOn opens the device of that name or registry ID.
func OpenOn(device string) (gpu.Engine, error) { return OpenWith(Options{Device: device}) }

// OpenWith opens the engine with options; ErrUnsupported if the device does not exist.
func OpenWith(o Options) (gpu.Engine, error) {
	o, err := o.complete(os.Getenv)
	if err != nil {
		return nil, err
	}
	all := listDevices()
	described := describe(all)
	i, err := choose(described, o.Device)
	for j := range all {
		if err != nil || j != i {
			all[j].release()
		}
	}
	if err != nil {
		return nil, err
	}
	e, err := newEngine(all[i], described[i], o)
	if err != nil {
		return nil, err
	}
	e.devices = listed(described, i)
	return e, nil
}

// listed lists the devices, the one at index first before the others. A device is selected by its name, or by its registry ID if
// other devices have the same name.
func listed(all []facts, first int) []gpu.Device {
	devices := make([]gpu.Device, 0, len(all))
	for i, f := range all {
		d := gpu.Device{ID: f.name, Name: f.device().String()}
		for j := range all {
			if j != i && all[j].name == f.name {
				d.ID = fmt.Sprintf("0x%x", f.registryID)
			}
		}
		devices = append(devices, d)
	}
	return append(devices[first:first+1:first+1], append(devices[:first:first], devices[first+1:]...)...)
}

func describe(all []device) []facts {
	out := make([]facts, len(all))
	for i, d := range all {
		out[i] = d.describe()
	}
	return out
}

var (
	_ gpu.CompileLog     = (*engine)(nil)
	_ gpu.MemoryReporter = (*engine)(nil)
	_ gpu.Capturer       = (*engine)(nil)
	_ gpu.Tracer         = (*engine)(nil)
	_ gpu.Losable        = (*engine)(nil)
	_ gpu.NoCopier       = (*engine)(nil)
	_ gpu.Encoder        = (*engine)(nil)
	_ gpu.Chooser        = (*engine)(nil)
	_ gpu.Cached         = (*engine)(nil)
)

// engine implements gpu.Engine and the optional interfaces.
type engine struct {
	device   device
	caps     capabilities
	info     gpu.Info
	devices  []gpu.Device // all in the system when the engine was opened, this one first
	options  Options
	store    *store // nil: archives are not kept
	noStore  string // the reason
	resident *resident
	copier   *copier

	buffers enginekit.Registry
	calls   enginekit.Gate // calls that use the device

	mu         sync.Mutex
	closed     bool
	lost       error     // why the device is lost; nil: it is not
	lostUntil  time.Time // until then work in flight may still complete
	revoked    bool      // the last command buffer was refused for earlier faults
	kernels    map[string]*compilation
	made       []*kernel // all that callers have
	libraries  map[string]*source
	operations map[string]*operation // of libraries, while programs launch them
	compiles   []gpu.Compile
	queues     map[*queue]struct{}
	sampling   chan struct{} // one element per command buffer with a counter sample buffer
	// endCapture stops the last capture if it is still active; nil: there was none.
	endCapture func()
}

// newEngine takes ownership of d and releases it on failure.
func newEngine(d device, f facts, o Options) (*engine, error) {
	h := readHost()
	e := &engine{
		device: d, caps: capabilitiesOf(f, h), options: o,
		kernels: map[string]*compilation{}, libraries: map[string]*source{}, operations: map[string]*operation{},
		queues:   map[*queue]struct{}{},
		sampling: make(chan struct{}, maxSampledRuns),
	}
	e.store, e.noStore = keepArchives(o, environmentOf(f, h))
	var err error
	if e.resident, err = newResident(d); err != nil {
		e.caps.missing["residency sets"] = err.Error()
	}
	if e.copier, err = newCopier(e); err != nil {
		e.destroy()
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "open", "", "%v", err)
	}
	e.caps.libraries, e.caps.residency = d.hasLibraries(), e.resident != nil
	e.probe()
	e.info = e.describe()
	return e, nil
}

// keepArchives opens the store, or returns the reason why there is none. The engine works without it.
func keepArchives(o Options, env environment) (*store, string) {
	if o.NoCache {
		return nil, "turned off"
	}
	if env.OSBuild == "" {
		return nil, "the system's build is unknown"
	}
	root := o.CacheDir
	if root == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return nil, err.Error()
		}
		root = filepath.Join(caches, "Assay", "metal")
	}
	s, err := openStore(root, env)
	if err != nil {
		return nil, err.Error()
	}
	return s, ""
}

// Cache returns the store of archives.
func (e *engine) Cache() (gpu.Cache, error) {
	if e.store == nil {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "open the cache", "", "%s", e.noStore)
	}
	return e.store, nil
}

// gpuSample is the duration of samples: between shorter ones a GPU lowers its clock.
const gpuSample = 10 * time.Millisecond

func (e *engine) describe() gpu.Info {
	d := e.caps.device
	sample := gpuSample
	if d.simulated {
		sample = 0
	}
	return gpu.Info{
		Engine: "metal", Device: d.name, Family: e.caps.family, Clock: clockName(d.simulated), Simulated: d.simulated, Unified: d.unified, GPU: true,
		Cores: e.caps.cores, Features: e.caps.features(), MaxBuffer: d.maxBuffer, WorkingSet: d.workingSet,
		SampleTime: sample, Bandwidth: e.caps.bandwidth,
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

// DeviceMemory is the memory that the device and the system report.
func (e *engine) DeviceMemory() (gpu.DeviceMemory, error) {
	if err := e.enter("memory", ""); err != nil {
		return gpu.DeviceMemory{}, err
	}
	defer e.leave()
	return gpu.DeviceMemory{Allocated: int64(e.device.allocated()), ResourceLimit: e.caps.resourceLimit}, nil
}

// Devices lists the system's devices at the time the engine was opened.
func (e *engine) Devices() (all []gpu.Device, how string) {
	return slices.Clone(e.devices), deviceVariable
}

// ValidationVariables are the environment's variables that turn validation on, when a process starts.
func ValidationVariables() []string { return validationVariables() }

// CaptureVariables are the environment's variables that enable captures, when a process starts: since macOS 14, and before.
func CaptureVariables() []string { return []string{"MTL_CAPTURE_ENABLED=1", "METAL_CAPTURE_ENABLED=1"} }

// Validation is which of Metal's validation layers are on. The simulator checks what the layer would, by the same variable.
func (e *engine) Validation() string { return validation(os.Getenv, e.Info().Simulated) }

// traceSeconds is the duration of a trace that TraceCommand records.
const traceSeconds = 10

// TraceCommand is the command line that records a Metal System Trace of this process into the current folder.
func (e *engine) TraceCommand() string { return traceCommand(os.Getpid(), traceSeconds, "assay.trace") }

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
	switch {
	case e.closed:
		return gpu.Errorf(gpu.ErrClosed, op, what, "")
	case e.lost != nil:
		return gpu.Errorf(gpu.ErrDeviceLost, op, what, "%v", e.lost)
	}
	return nil
}

func (e *engine) leave() { e.calls.Leave() }

// lose makes every later call fail with ErrDeviceLost. Work in flight may still complete within grace.
func (e *engine) lose(why error, grace time.Duration) {
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
	if e.lost == nil {
		return nil
	}
	return gpu.Errorf(gpu.ErrDeviceLost, op, what, "%v", e.lost)
}

// Lost returns nil while the device can be used, otherwise an ErrDeviceLost with the reason.
func (e *engine) Lost() error { return e.lossError("use", e.info.Device) }

// timeout is how long to wait for the next command buffer.
func (e *engine) timeout() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lost == nil {
		return e.options.Timeout
	}
	return max(0, min(e.options.Timeout, time.Until(e.lostUntil)))
}

// Supports returns nil for the kernels of shaders that this device runs.
func (e *engine) Supports(k shaders.Kernel) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable("kernel", k.Name); err != nil {
		return err
	}
	return e.supports(&k)
}

// maxBindings is the maximum number of buffers a kernel can have in addition to its parameters.
const maxBindings = 30

func (e *engine) supports(k *shaders.Kernel) error {
	switch {
	case len(k.Args) > maxBindings:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "%d arguments, at most %d can be bound", len(k.Args),
			maxBindings)
	case k.Needs()&shaders.HostTensors != 0:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "its tensors as arguments need MTLTensor, which is part of macOS 26: this version of "+
			"Assay is built with headers of macOS 14. They run on engine cpu and on NVIDIA GPUs")
	case k.Needs()&e.caps.lacks() != 0:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "%s does not have %v", e.info.Device, k.Needs()&e.caps.lacks())
	case k.Impl.Library == shaders.Own:
		return nil
	case k.Impl.Library != shaders.MPS:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "the Metal engine does not have %s", k.Impl.Library.Short())
	case !e.caps.libraries:
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "Metal Performance Shaders do not run on %s", e.info.Device)
	}
	if err := specOf(k).lacks(); err != nil {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "%w", err)
	}
	return nil
}

// NewQueue opens a queue.
func (e *engine) NewQueue(label string) (gpu.Queue, error) {
	if err := e.enter("new queue", label); err != nil {
		return nil, err
	}
	defer e.leave()
	c, err := e.newCommandQueue(label)
	if err != nil {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "new queue", label, "%v", err)
	}
	q := newQueue(e, c, label)
	e.mu.Lock()
	closed := e.closed
	e.queues[q] = struct{}{}
	e.mu.Unlock()
	if closed { // while the queue was being created, so Close missed it
		return nil, errors.Join(gpu.Errorf(gpu.ErrClosed, "new queue", label, ""), q.Close())
	}
	return q, nil
}

// newCommandQueue creates a queue whose command buffers use the residency set. Its limit is one more than are ever in flight,
// so that no commit blocks.
func (e *engine) newCommandQueue(label string) (commandQueue, error) {
	c, err := e.device.newCommandQueue(gpu.QueueDepth+1, label)
	if err != nil {
		return c, err
	}
	e.resident.attach(c)
	return c, nil
}

// lacks returns the features that the device is known not to have.
func (c *capabilities) lacks() shaders.Feature {
	var lacks shaders.Feature
	if c.matrix == no {
		lacks |= shaders.SIMDGroupMatrix
	}
	if c.bfloat == no {
		lacks |= shaders.BFloat
	}
	if c.floatAtomics == no {
		lacks |= shaders.FloatAtomics
	}
	return lacks
}
