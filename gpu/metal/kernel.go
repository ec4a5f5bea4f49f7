//go:build (darwin || metalsim) && cgo

package metal

import (
	"crypto/sha256"
	"fmt"
	"time"

	"assay/gpu"
	"assay/shaders"
)

// kernel implements gpu.Kernel.
type kernel struct {
	spec     shaders.Kernel
	engine   *engine
	pipeline pipeline // none for the library's kernels
}

// Spec is the kernel's description.
func (k *kernel) Spec() *shaders.Kernel { return &k.spec }

// label names the kernel and its constants in captures.
func (k *kernel) label() string {
	if key := k.spec.Key(); key != "" {
		return k.spec.Name + "{" + key + "}"
	}
	return k.spec.Name
}

// build returns how the kernel's pipeline is built, for no more threads than the device has: a launch with more is refused later.
func (k *kernel) build() build {
	return build{min(k.spec.MaxThreads(), k.engine.caps.maxThreads), k.label()}
}

func (k *kernel) release() {
	if k.pipeline != (pipeline{}) {
		k.pipeline.release()
	}
}

// Kernel compiles k, unless it was compiled before. If the compiler does not respond in time, the error is ErrTimeout and a
// later call tries again.
func (e *engine) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	if err := e.Supports(k); err != nil {
		return nil, err
	}
	if err := k.CheckConstants(); err != nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "kernel", k.Name, "%v", err)
	}
	made, err := e.join(&kernel{spec: k, engine: e})
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(e.options.CompileTimeout)
	defer timer.Stop()
	select {
	case <-made.ready:
	case <-timer.C:
		if e.giveUp(made) {
			return nil, gpu.Errorf(gpu.ErrTimeout, "compile", k.Name, "the compiler did not respond within %v",
				e.options.CompileTimeout)
		}
		<-made.ready // it has just ended
	}
	if made.err != nil {
		return nil, made.err
	}
	return made.kernel, nil
}

// compilation is a kernel that one goroutine compiles and that all its users wait for.
type compilation struct {
	key    string
	text   string // the source; empty for the library's kernels
	kernel *kernel
	ready  chan struct{} // closed when err is set
	err    error

	// Guarded by the engine's mu.
	waiters int // callers that joined before it ended
	ended   bool
	source  *source // nil: not requested yet
}

// join joins the compilation of k and starts it if there is none. The caller must wait for its end or call giveUp.
func (e *engine) join(k *kernel) (*compilation, error) {
	text := ""
	if k.spec.Impl.Library == shaders.Own {
		text = k.spec.Impl.Source.Text()
	}
	key := fmt.Sprintf("%s,%s,%x", k.spec.Name, k.spec.Key(), sha256.Sum256([]byte(text)))
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable("kernel", k.spec.Name); err != nil {
		return nil, err
	}
	c, ok := e.kernels[key]
	if !ok {
		c = &compilation{key: key, text: text, kernel: k, ready: make(chan struct{})}
		e.kernels[key] = c
		e.calls.Enter()
		go func() {
			defer e.leave()
			e.complete(c, e.compile(c))
		}()
	}
	c.waiters++
	return c, nil
}

// giveUp stops waiting for c; the next call for its kernel or source then starts a new compilation. It returns false if c
// has ended.
func (e *engine) giveUp(c *compilation) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.ended {
		return false
	}
	c.waiters--
	e.forget(c)
	if s := c.source; s != nil && !s.ended && e.libraries[c.text] == s {
		delete(e.libraries, c.text)
		s.dropped = true
	}
	return true
}

// complete ends c. If a caller still waits for its kernel, the engine keeps the kernel until it is closed.
func (e *engine) complete(c *compilation, err error) {
	e.mu.Lock()
	c.err, c.ended = err, true
	wanted := c.waiters > 0
	switch {
	case err != nil:
		e.forget(c)
	case wanted:
		e.made = append(e.made, c.kernel)
		if e.kernels[c.key] == nil { // one caller has given up, another has not
			e.kernels[c.key] = c
		}
	}
	e.mu.Unlock()
	if err == nil && !wanted {
		c.kernel.release()
	}
	close(c.ready)
}

// forget makes the next call start a new compilation. The caller holds e.mu.
func (e *engine) forget(c *compilation) {
	if e.kernels[c.key] == c {
		delete(e.kernels, c.key)
	}
}
