//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"assay/gpu"
	"assay/shaders"
)

// kernel implements gpu.Kernel.
type kernel struct {
	spec   shaders.Kernel
	engine *engine
	loaded *loaded // nil for kernels of libraries
}

// Spec is the kernel's description.
func (k *kernel) Spec() *shaders.Kernel { return &k.spec }

// limits returns the limits of the kernel's launches.
func (k *kernel) limits() shaders.Limits {
	m := &k.loaded.module
	return shaders.Limits{Threads: m.maxThreads, Shared: k.engine.facts.shared - m.shared}
}

// loaded is PTX that the driver has compiled, once for all kernels with this code.
type loaded struct {
	once   sync.Once
	module module
	parts  bool // Code.Parts
	err    error

	mu      sync.Mutex
	allowed int // bytes of dynamic threadgroup memory that launches may use
}

// plainShared is the dynamic threadgroup memory that a launch may use without a request.
const plainShared = 48 << 10

// allow allows launches that many bytes of dynamic threadgroup memory.
func (l *loaded) allow(d device, bytes int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes <= max(plainShared-l.module.shared, l.allowed) {
		return nil
	}
	if err := d.allowShared(l.module, bytes); err != nil {
		return err
	}
	l.allowed = bytes
	return nil
}

// compilation is a kernel that one goroutine compiles and that all its users wait for.
type compilation struct {
	kernel *kernel
	ready  chan struct{} // closed when err is set
	err    error
}

// Kernel compiles k, unless it was compiled before. If that takes too long, the error is ErrTimeout; compilation continues, and a
// later call waits for it again.
func (e *engine) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	if err := e.Supports(k); err != nil {
		return nil, err
	}
	if err := k.CheckConstants(); err != nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "kernel", k.Name, "%v", err)
	}
	c, err := e.join(k) // a library's kernel has nothing to compile, and is kept, too
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(e.options.CompileTimeout)
	defer timer.Stop()
	select {
	case <-c.ready:
	case <-timer.C:
		return nil, gpu.Errorf(gpu.ErrTimeout, "compile", k.Name, "the compiler did not respond within %v", e.options.CompileTimeout)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.kernel, nil
}

// join joins the compilation of k and starts it if there is none.
func (e *engine) join(k shaders.Kernel) (*compilation, error) {
	key := fmt.Sprintf("%s,%s,%x", k.Name, k.Key(), sha256.Sum256([]byte(k.Impl.Source.Text())))
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable("kernel", k.Name); err != nil {
		return nil, err
	}
	if c, ok := e.kernels[key]; ok {
		return c, nil
	}
	c := &compilation{kernel: &kernel{spec: k, engine: e}, ready: make(chan struct{})}
	e.kernels[key] = c
	e.calls.Enter()
	go func() {
		defer e.leave()
		if k.Impl.Library == shaders.Own {
			c.err = e.compile(c.kernel)
		}
		if c.err != nil { // the next call compiles it again
			e.mu.Lock()
			delete(e.kernels, key)
			e.mu.Unlock()
		}
		close(c.ready)
	}()
	return c, nil
}
