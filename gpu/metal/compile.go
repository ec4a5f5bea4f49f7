//go:build (darwin || metalsim) && cgo

package metal

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"assay/gpu"
	"assay/shaders"
)

// simdWidth is the width of SIMD groups that the kernels are written for.
const simdWidth = 32

// compile makes the pipeline of c's kernel.
func (e *engine) compile(c *compilation) error {
	k := c.kernel
	if k.spec.Impl.Library != shaders.Own {
		return nil // the library compiles its own code on first use
	}
	done := gpu.Compile{Kernel: k.spec.Name, Constants: k.spec.Key()}
	start := time.Now()
	var src *source
	src, done.SourceSeconds, done.Retries = e.sourceOf(c)
	defer e.dropSource(src)
	if src.err != nil {
		return gpu.Errorf(gpu.ErrCompile, "compile", k.spec.Name, "%v", src.err)
	}
	f, err := retry(&done.Retries, func() (function, error) { return src.library.newFunction(k.spec.Name, k.spec.Values()) })
	if err != nil {
		return gpu.Errorf(gpu.ErrCompile, "compile", k.spec.Name, "%v", err)
	}
	defer f.release()
	key := archiveKey{k.spec.Name, k.spec.Key(), sha256.Sum256([]byte(c.text))}
	if k.pipeline, done.Warm = e.warm(f, key, k.build(), &done.Damaged); !done.Warm {
		k.pipeline, err = retry(&done.Retries, func() (pipeline, error) { return e.device.newPipeline(f, nil, k.build()) })
		if err != nil {
			return gpu.Errorf(gpu.ErrCompile, "compile", k.spec.Name, "%v", err)
		}
	}
	done.Seconds = time.Since(start).Seconds()
	if done.Cache = "found"; !done.Warm {
		done.Cache = e.keep(f, key, done.Seconds, k.build())
	}
	e.note(done)
	return k.checkWidth()
}

// checkWidth returns an error if the pipeline's SIMD groups are not as wide as the kernels assume.
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

// Compiles lists the kernels that were compiled, in order.
func (e *engine) Compiles() []gpu.Compile {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.compiles)
}

// source is a file that is compiled once for all of its kernels, when the first of them is needed.
type source struct {
	ready   chan struct{} // closed when library and err are set
	library library
	err     error

	// Guarded by the engine's mu.
	users   int
	ended   bool
	dropped bool // no longer shared; its last user releases it
}

// sourceOf returns the library of c's source, the seconds that compiling it took (0 if it was compiled for another kernel), and
// the number of compiler retries. The caller must call dropSource.
func (e *engine) sourceOf(c *compilation) (s *source, seconds float64, retries int) {
	e.mu.Lock()
	s, known := e.libraries[c.text]
	if !known {
		s = &source{ready: make(chan struct{})}
		e.libraries[c.text] = s
	}
	s.users++
	c.source = s
	e.mu.Unlock()
	if known {
		<-s.ready
		return s, 0, 0
	}
	start := time.Now()
	s.library, s.err = retry(&retries, func() (library, error) { return e.device.newLibrary(c.text, c.kernel.spec.Impl.Source.File) })
	seconds = time.Since(start).Seconds()
	e.mu.Lock()
	s.ended = true
	if s.err != nil && !s.dropped { // the next call compiles it again
		delete(e.libraries, c.text)
		s.dropped = true
	}
	e.mu.Unlock()
	close(s.ready)
	return s, seconds, retries
}

// dropSource releases one use of s.
func (e *engine) dropSource(s *source) {
	e.mu.Lock()
	s.users--
	last := s.users == 0 && s.dropped
	e.mu.Unlock()
	if last && s.err == nil {
		s.library.release()
	}
}

// retry calls f again if the compiler process crashed, since the system then starts another, and counts the retry.
func retry[T any](count *int, f func() (T, error)) (T, error) {
	v, err := f()
	if err != nil && compilerDied(err) {
		*count++
		return f()
	}
	return v, err
}

func compilerDied(err error) bool {
	return strings.Contains(err.Error(), "XPC_ERROR_CONNECTION") || strings.Contains(err.Error(), "XPC error")
}

// warm loads the pipeline from its archive, and reports whether that is corrupt. After any failure the pipeline is compiled instead.
func (e *engine) warm(f function, key archiveKey, b build, corrupt *bool) (pipeline, bool) {
	if e.store == nil {
		return pipeline{}, false
	}
	path, ok, bad := e.store.look(key)
	*corrupt = bad
	if !ok {
		return pipeline{}, false
	}
	a, err := e.device.openArchive(path, b.label)
	if err != nil {
		*corrupt = true
		e.store.quarantine(key)
		return pipeline{}, false
	}
	defer a.release()
	p, err := e.device.newPipeline(f, &a, b)
	if err != nil { // the system was updated without a new build number, or the file is corrupt
		e.store.drop(path)
		return pipeline{}, false
	}
	return p, true
}

// keep stores the pipeline for the next start and returns the outcome in words. No failure matters to the caller.
func (e *engine) keep(f function, key archiveKey, seconds float64, b build) string {
	if e.store == nil {
		return "not kept: " + e.noStore
	}
	a, err := e.device.newArchive(b.label)
	if err != nil {
		return "not kept: " + err.Error()
	}
	defer a.release()
	if err := a.add(f, b); err != nil {
		return "not kept: " + err.Error()
	}
	if err := e.store.put(key, seconds, a.write); err != nil {
		return "not kept: " + err.Error()
	}
	return "stored"
}

// probeSource is a minimal kernel.
const probeSource = `#include <metal_stdlib>
kernel void assay_probe(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i; }
`

// probe finds the width of SIMD groups from a pipeline, since devices do not report it. It stays unknown if the compiler
// does not respond.
func (e *engine) probe() {
	type answer struct {
		width int
		err   error
	}
	got := make(chan answer, 1)
	e.calls.Enter()
	go func() {
		defer e.leave()
		p, err := e.probePipeline()
		if err == nil {
			defer p.release()
		}
		got <- answer{p.simdWidth, err}
	}()
	timer := time.NewTimer(e.options.CompileTimeout)
	defer timer.Stop()
	select {
	case a := <-got:
		e.caps.simdWidth = a.width
		if a.err != nil {
			e.caps.missing["SIMD width"] = a.err.Error()
		}
	case <-timer.C:
		e.caps.missing["SIMD width"] = "the compiler did not respond within " + e.options.CompileTimeout.String()
	}
}

func (e *engine) probePipeline() (pipeline, error) {
	var crashes int
	l, err := retry(&crashes, func() (library, error) { return e.device.newLibrary(probeSource, "probe") })
	if err != nil {
		return pipeline{}, err
	}
	defer l.release()
	f, err := l.newFunction("assay_probe", nil)
	if err != nil {
		return pipeline{}, err
	}
	defer f.release()
	return e.device.newPipeline(f, nil, build{label: "probe"})
}
