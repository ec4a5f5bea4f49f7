//go:build (darwin || metalsim) && cgo

package metal

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/gpu"
	"assay/shaders"
)

// kernel implements gpu.Kernel.
type kernel struct {
	spec      shaders.Kernel
	constants shaders.Constants
	engine    *engine
	pipeline  pipeline // none for the library's kernels
}

// Spec is the kernel's description.
func (k *kernel) Spec() *shaders.Kernel { return &k.spec }

// Constants are those the kernel was made with; the map must not be changed.
func (k *kernel) Constants() shaders.Constants { return k.constants }

// label names the kernel and its constants in captures.
func (k *kernel) label() string {
	if key := k.constants.Key(); key != "" {
		return k.spec.Name + "{" + key + "}"
	}
	return k.spec.Name
}

// compilation is a kernel that is made by one goroutine, and awaited by all that want it.
type compilation struct {
	ready  chan struct{} // closed when what follows is set
	kernel *kernel
	err    error
}

// release frees what came of it; nothing is made any more.
func (c *compilation) release() {
	select {
	case <-c.ready:
		if c.err == nil {
			c.kernel.release()
		}
	default:
	}
}

func (k *kernel) release() {
	if k.pipeline != (pipeline{}) {
		k.pipeline.release()
	}
}

// Kernel compiles k, or finds it compiled. A compiler that does not answer is ErrTimeout; a later call tries again.
func (e *engine) Kernel(k shaders.Kernel, c shaders.Constants) (gpu.Kernel, error) {
	if err := e.Supports(k); err != nil {
		return nil, err
	}
	if err := k.CheckConstants(c); err != nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "kernel", k.Name, "%v", err)
	}
	text := ""
	if k.Library == shaders.Own {
		text = k.Source()
	}
	hash := sha256.Sum256([]byte(text))
	key := fmt.Sprintf("%s,%s,%x", k.Name, c.Key(), hash)
	made, err := e.compilation(key, &kernel{spec: k, constants: maps.Clone(c), engine: e}, text)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(e.options.CompileTimeout)
	defer timer.Stop()
	select {
	case <-made.ready:
		if made.err != nil {
			return nil, made.err
		}
		return made.kernel, nil
	case <-timer.C:
		e.forget(key, made)
		return nil, gpu.Errorf(gpu.ErrTimeout, "compile", k.Name, "the compiler did not answer for %v",
			e.options.CompileTimeout)
	}
}

// compilation is the one of key, begun if there is none.
func (e *engine) compilation(key string, k *kernel, text string) (*compilation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable("kernel", k.spec.Name); err != nil {
		return nil, err
	}
	if have, ok := e.kernels[key]; ok {
		return have, nil
	}
	made := &compilation{ready: make(chan struct{}), kernel: k}
	e.kernels[key] = made
	e.uses++
	go func() {
		defer e.leave()
		made.err = e.compile(k, text)
		close(made.ready)
		if made.err != nil {
			e.forget(key, made)
		} else if !e.knows(key, made) {
			k.release() // everybody has given up on it
		}
	}()
	return made, nil
}

// forget lets the next call for key begin anew.
func (e *engine) forget(key string, made *compilation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.kernels[key] == made {
		delete(e.kernels, key)
	}
}

func (e *engine) knows(key string, made *compilation) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kernels[key] == made
}

// compile makes k's pipeline.
func (e *engine) compile(k *kernel, text string) error {
	if k.spec.Library != shaders.Own {
		return nil // the library compiles for itself when it is first used
	}
	done := gpu.Compile{Kernel: k.spec.Name, Constants: k.constants.Key()}
	start := time.Now()
	src := e.sourceOf(text)
	var err error
	if done.SourceSeconds, err = src.compile(e.device, text, k.spec.File); err != nil {
		return gpu.Errorf(gpu.ErrCompile, "compile", k.spec.Name, "%v", err)
	}
	f, err := retry(func() (function, error) { return src.library.newFunction(k.spec.Name, values(&k.spec, k.constants)) })
	if err != nil {
		return gpu.Errorf(gpu.ErrCompile, "compile", k.spec.Name, "%v", err)
	}
	defer f.release()
	key := archiveKey{k.spec.Name, k.constants.Key(), sha256.Sum256([]byte(text))}
	if k.pipeline, done.Warm = e.warm(f, key, k.label()); !done.Warm {
		k.pipeline, err = retry(func() (pipeline, error) { return e.device.newPipeline(f, nil, k.label()) })
		if err != nil {
			return gpu.Errorf(gpu.ErrCompile, "compile", k.spec.Name, "%v", err)
		}
	}
	done.Seconds = time.Since(start).Seconds()
	if done.Cache = "found"; !done.Warm {
		done.Cache = e.keep(f, key, k.label())
	}
	e.note(done)
	return k.checkWidth()
}

// checkWidth refuses a pipeline of other SIMD groups than the kernels are written for.
func (k *kernel) checkWidth() error {
	if k.pipeline.simdWidth == simdWidth {
		return nil
	}
	width := k.pipeline.simdWidth
	k.release()
	return gpu.Errorf(gpu.ErrUnsupported, "compile", k.spec.Name, "SIMD groups of %d threads, the kernels need %d", width,
		simdWidth)
}

func (e *engine) note(c gpu.Compile) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.compiles = append(e.compiles, c)
}

// Compiles lists the kernels that were made, in order.
func (e *engine) Compiles() []gpu.Compile {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.compiles)
}

// source is a file that is compiled once for all of its kernels.
type source struct {
	mu       sync.Mutex
	library  library
	compiled bool
}

func (e *engine) sourceOf(text string) *source {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, ok := e.libraries[text]
	if !ok {
		s = &source{}
		e.libraries[text] = s
	}
	return s
}

// compile is the seconds that it took, 0 if it was done before.
func (s *source) compile(d device, text, label string) (float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled {
		return 0, nil
	}
	start := time.Now()
	l, err := retry(func() (library, error) { return d.newLibrary(text, label) })
	if err != nil {
		return 0, err
	}
	s.library, s.compiled = l, true
	return time.Since(start).Seconds(), nil
}

func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled {
		s.library.release()
	}
}

// retry does f once more if the compiler's process died over it: the system starts another.
func retry[T any](f func() (T, error)) (T, error) {
	v, err := f()
	if err != nil && compilerDied(err) {
		return f()
	}
	return v, err
}

func compilerDied(err error) bool {
	return strings.Contains(err.Error(), "XPC_ERROR_CONNECTION") || strings.Contains(err.Error(), "XPC error")
}

// warm takes the pipeline out of its archive. Whatever is wrong with that, the pipeline is compiled anew.
func (e *engine) warm(f function, key archiveKey, label string) (pipeline, bool) {
	if e.store == nil {
		return pipeline{}, false
	}
	path, ok := e.store.find(key)
	if !ok {
		return pipeline{}, false
	}
	a, err := e.device.openArchive(path, label)
	if err != nil {
		e.store.quarantine(key)
		return pipeline{}, false
	}
	defer a.release()
	p, err := e.device.newPipeline(f, &a, label)
	if err != nil { // the system was updated under the same build, or the file is not what it seemed
		e.store.drop(path)
		return pipeline{}, false
	}
	return p, true
}

// keep stores the pipeline for the next start, and says what came of it: no failure matters to the caller.
func (e *engine) keep(f function, key archiveKey, label string) string {
	if e.store == nil {
		return "not kept: " + e.noStore
	}
	a, err := e.device.newArchive(label)
	if err != nil {
		return "not kept: " + err.Error()
	}
	defer a.release()
	if err := a.add(f, label); err != nil {
		return "not kept: " + err.Error()
	}
	if err := e.store.put(key, a.write); err != nil {
		return "not kept: " + err.Error()
	}
	return "stored"
}

// probeSource is the least kernel there is.
const probeSource = `#include <metal_stdlib>
kernel void assay_probe(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i; }
`

// probe asks a pipeline for the width of SIMD groups, which no device tells.
func (e *engine) probe() {
	p, err := e.probePipeline()
	if err != nil {
		e.caps.Missing["SIMD width"] = err.Error()
		return
	}
	e.caps.SIMDWidth = p.simdWidth
	p.release()
}

func (e *engine) probePipeline() (pipeline, error) {
	l, err := retry(func() (library, error) { return e.device.newLibrary(probeSource, "probe") })
	if err != nil {
		return pipeline{}, err
	}
	defer l.release()
	f, err := l.newFunction("assay_probe", nil)
	if err != nil {
		return pipeline{}, err
	}
	defer f.release()
	return e.device.newPipeline(f, nil, "probe")
}
