//go:build (darwin || metalsim) && cgo

package metal

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"assay/gpu"
	"assay/shaders"
)

// Recompile compiles k again. The compiler cannot be interrupted: if ctx ends first or the compiler does not respond, the
// pipeline is dropped once it is compiled.
func (e *engine) Recompile(ctx context.Context, k shaders.Kernel, cold bool) (gpu.Compile, error) {
	if err := e.recompilable(k, cold); err != nil {
		return gpu.Compile{}, err
	}
	type answer struct {
		done gpu.Compile
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		defer e.leave()
		done, err := e.recompile(k, cold)
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

// recompilable enters a call, which the caller ends with leave, or returns the reason why k cannot be compiled again.
func (e *engine) recompilable(k shaders.Kernel, cold bool) error {
	if err := e.Supports(k); err != nil {
		return err
	}
	if k.Impl.Library != shaders.Own {
		return gpu.Errorf(gpu.ErrUnsupported, "compile", k.Name, "%s has no source", k.Impl.Library)
	}
	if !cold && e.store == nil {
		return gpu.Errorf(gpu.ErrUnsupported, "compile", k.Name, "there is no cache on disk: %s", e.noStore)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usable("compile", k.Name); err != nil {
		return err
	}
	e.calls.Enter()
	return nil
}

func (e *engine) recompile(k shaders.Kernel, cold bool) (gpu.Compile, error) {
	made := kernel{spec: k, engine: e}
	text, entry := k.Impl.Source.Text(), k.Name
	key := archiveKey{k.Name, k.Key(), sha256.Sum256([]byte(text))}
	if cold {
		text, entry = renamed(text, entry)
	} else if _, kept := e.store.find(key); !kept {
		if _, err := e.Kernel(k); err != nil { // stores it in the cache on disk
			return gpu.Compile{}, err
		}
	}
	done := gpu.Compile{Kernel: k.Name, Constants: k.Key()}
	start := time.Now()
	f, err := e.functionOf(text, entry, &made, &done)
	if err != nil {
		return done, gpu.Errorf(gpu.ErrCompile, "compile", k.Name, "%w", err)
	}
	defer f.release()
	if !cold {
		made.pipeline, done.Warm = e.warm(f, key, made.build(), &done.Damaged)
	}
	if !done.Warm {
		made.pipeline, err = e.device.newPipeline(f, nil, made.build())
	}
	done.Seconds = time.Since(start).Seconds()
	if err != nil {
		return done, gpu.Errorf(gpu.ErrCompile, "compile", k.Name, "%w", err)
	}
	made.release()
	if !cold && !done.Warm {
		return done, gpu.Errorf(gpu.ErrUnsupported, "compile", k.Name, "the cache on disk does not keep it")
	}
	return done, nil
}

// functionOf compiles the source again and returns its function; it adds the seconds to done.
func (e *engine) functionOf(text, entry string, k *kernel, done *gpu.Compile) (function, error) {
	start := time.Now()
	l, err := e.device.newLibrary(text, k.spec.Impl.Source.File)
	if err != nil {
		return function{}, err
	}
	defer l.release()
	done.SourceSeconds = time.Since(start).Seconds()
	return l.newFunction(entry, k.spec.Values())
}

// renamed gives the entry points of a source names that no compiler has seen, so that no cache keyed by source or name has
// them. Whether the system also caches compiled code by its content can only be found out on a Mac.
func renamed(text, entry string) (renamedText, name string) {
	prefix := fmt.Sprintf("cold_%x_", time.Now().UnixNano())
	text = strings.ReplaceAll(text, "host_name(", "host_name(\""+prefix+"\" ")
	return fmt.Sprintf("#define %s %s%s\n%s", entry, prefix, entry, text), prefix + entry
}
