//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/gpu"
	"assay/shaders"
)

// compile compiles k.
func (e *engine) compile(k *kernel) error {
	start := time.Now()
	code, err := e.ptx(e.ctx, k.spec, false)
	if err != nil {
		return err
	}
	source := time.Since(start).Seconds()
	if k.loaded, err = e.load(k.spec.Name, code); err != nil {
		return err
	}
	done := gpu.Compile{
		Kernel: k.spec.Name, Constants: k.spec.Key(), Seconds: time.Since(start).Seconds(), SourceSeconds: source, Warm: code.Warm,
		BuiltIn: code.BuiltIn(), Cache: fromWhere(code, &k.loaded.module),
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.compiles = append(e.compiles, done)
	return nil
}

// ptx returns the PTX of a kernel; an error is a *gpu.Error.
func (e *engine) ptx(ctx context.Context, k shaders.Kernel, cold bool) (Code, error) {
	code, err := e.options.Compile(ctx, k, cold)
	var seam *gpu.Error
	if err != nil && !errors.As(err, &seam) {
		return code, gpu.Errorf(gpu.ErrCompile, "compile", k.Name, "%w", err)
	}
	return code, err
}

// fromWhere describes the origin of the code, and the resources that a thread of it uses.
func fromWhere(code Code, m *module) string {
	how := "stored"
	if code.Warm {
		how = "found"
	}
	text := fmt.Sprintf("%s: PTX %s; %d registers a thread", how, code.Source, m.registers)
	if m.local > 0 {
		text += fmt.Sprintf(", %d B of them spilled or in local arrays", m.local)
	}
	return text
}

// Compiles lists the kernels that were compiled, in order.
func (e *engine) Compiles() []gpu.Compile {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.compiles)
}

// Cache returns the PTX that the compiler keeps on disk.
func (e *engine) Cache() (gpu.Cache, error) { return e.options.Cache() }

// load makes the driver compile PTX, unless it already has.
func (e *engine) load(name string, code Code) (*loaded, error) {
	key := sha256.Sum256(code.PTX)
	e.mu.Lock()
	l := e.modules[key]
	if l == nil {
		l = &loaded{}
		e.modules[key] = l
	}
	e.mu.Unlock()
	l.once.Do(func() { l.module, l.err = e.assemble(name, code); l.parts = code.Parts })
	if l.err != nil {
		e.mu.Lock()
		if e.modules[key] == l {
			delete(e.modules, key)
		}
		e.mu.Unlock()
	}
	return l, l.err
}

// assemble makes the driver compile PTX.
func (e *engine) assemble(name string, code Code) (module, error) {
	var m module
	var log string
	var err error
	e.code.during(func() {
		m, log, err = e.device.load(code.PTX, code.Entry)
		trimHost()
	})
	if err == nil {
		return m, nil
	}
	if log = strings.TrimSpace(log); log != "" {
		err = fmt.Errorf("%w: %s", err, log)
	}
	switch kindOf(err) {
	case gpu.ErrExecution: // the entry point does not exist, or the driver gives no details
		if !e.isSticky(err) {
			return m, gpu.Errorf(gpu.ErrCompile, "compile", name, "%w", err)
		}
	case gpu.ErrCompile:
		return m, gpu.Errorf(gpu.ErrCompile, "compile", name, "%w", err)
	}
	return m, e.failed("compile", name, err)
}

func (e *engine) isSticky(err error) bool {
	var native *codeError
	return errors.As(err, &native) && meaningOf(native.code).sticky
}

// Recompile compiles k again. A cold compilation bypasses all caches: the driver, which keeps its own by the text, receives a
// text that no other kernel has.
func (e *engine) Recompile(ctx context.Context, k shaders.Kernel, cold bool) (gpu.Compile, error) {
	if err := e.Supports(k); err != nil {
		return gpu.Compile{}, err
	}
	if k.Impl.Library != shaders.Own {
		return gpu.Compile{}, gpu.Errorf(gpu.ErrUnsupported, "compile", k.Name, "%s has no source", k.Impl.Library.Full())
	}
	if err := e.enter("compile", k.Name); err != nil {
		return gpu.Compile{}, err
	}
	type answer struct {
		done gpu.Compile
		err  error
	}
	got := make(chan answer, 1)
	go func() { // the driver's compiler cannot be interrupted
		defer e.leave()
		done, err := e.recompile(ctx, k, cold)
		got <- answer{done, err}
	}()
	timer := time.NewTimer(e.options.CompileTimeout)
	defer timer.Stop()
	select {
	case a := <-got:
		return a.done, a.err
	case <-ctx.Done():
		return gpu.Compile{}, ctx.Err()
	case <-timer.C:
		return gpu.Compile{}, gpu.Errorf(gpu.ErrTimeout, "compile", k.Name, "the compiler did not respond within %v", e.options.CompileTimeout)
	}
}

func (e *engine) recompile(ctx context.Context, k shaders.Kernel, cold bool) (gpu.Compile, error) {
	if !cold {
		if _, err := e.Kernel(k); err != nil { // puts it in the caches
			return gpu.Compile{}, err
		}
	}
	start := time.Now()
	code, err := e.ptx(ctx, k, cold)
	if err != nil {
		return gpu.Compile{}, err
	}
	source := time.Since(start).Seconds()
	if !cold && !code.Warm {
		return gpu.Compile{}, gpu.Errorf(gpu.ErrUnsupported, "compile", k.Name, "the cache on disk does not keep it")
	}
	if cold {
		code.PTX = unseen(code.PTX, time.Now().UnixNano())
	}
	m, err := e.assemble(k.Name, code)
	if err != nil {
		return gpu.Compile{}, err
	}
	done := gpu.Compile{
		Kernel: k.Name, Constants: k.Key(), Seconds: time.Since(start).Seconds(), SourceSeconds: source, Warm: !cold,
		BuiltIn: code.BuiltIn(), Cache: fromWhere(code, &m),
	}
	if cold {
		done.Cache = fmt.Sprintf("not used: PTX by %s that no cache has seen; %d registers a thread", code.Source, m.registers)
	}
	e.device.unload(m)
	return done, nil
}

// unseen adds a variable that nothing uses, so that no cache with the text or its content as key has the PTX.
func unseen(ptx []byte, mark int64) []byte {
	return fmt.Appendf(slices.Clip(ptx), "\n.global .align 4 .u32 assay_cold_%d;\n", mark)
}
