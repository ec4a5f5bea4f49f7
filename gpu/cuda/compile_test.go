//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
)

func TestCompileErrors(t *testing.T) {
	ledger(t)
	e := openFake(t, "")
	k := catalog.MustFind("add_f32")
	for _, c := range []struct {
		script string
		kind   error
		says   []string
	}{
		{"cuModuleLoadDataEx=218", gpu.ErrCompile, []string{"add_f32", "not valid", "ptxas fatal: line 3"}},
		{"cuModuleLoadDataEx=222", gpu.ErrCompile, []string{"later version", "newer driver"}},
		{"cuModuleLoadDataEx=209", gpu.ErrCompile, []string{"not for this device"}},
		{"cuModuleLoadDataEx=221", gpu.ErrUnsupported, []string{"libnvidia-ptxjitcompiler.so"}},
		{"cuModuleLoadDataEx=2", gpu.ErrOutOfMemory, []string{"add_f32"}},
		{"cuModuleGetFunction=500", gpu.ErrCompile, []string{"add_f32", "code 500"}},
		{"cuFuncGetAttribute=1", gpu.ErrCompile, []string{"add_f32", "code 1"}},
	} {
		script(t, c.script)
		_, err := e.Kernel(k)
		says(t, err, c.kind, c.says...)
	}
	script(t, "")
	if _, err := e.Kernel(k); err != nil { // failures are not kept
		t.Error(err)
	}
	closed(t, e)
}

func TestCompilerFails(t *testing.T) {
	o := fakeOptions(t, "")
	o.Compile = func(context.Context, shaders.Kernel, bool) (Code, error) {
		return Code{}, errors.New("no such instruction")
	}
	e := open(t, o)
	_, err := e.Kernel(catalog.MustFind("add_f32"))
	says(t, err, gpu.ErrCompile, "add_f32", "no such instruction")
	closed(t, e)
	o.Compile = func(context.Context, shaders.Kernel, bool) (Code, error) {
		return Code{}, gpu.Errorf(gpu.ErrUnsupported, "compile", "add_f32", "clang is not installed")
	}
	e = open(t, o)
	_, err = e.Kernel(catalog.MustFind("add_f32"))
	says(t, err, gpu.ErrUnsupported, "add_f32", "clang is not installed")
	closed(t, e)
}

// The wait for a compiler that does not respond ends after the timeout, and a later call gets its result. Closing ends the
// compiler.
func TestCompilerHangs(t *testing.T) {
	o := fakeOptions(t, "")
	o.CompileTimeout = 50 * time.Millisecond
	var calls atomic.Int32
	answer := make(chan struct{})
	o.Compile = func(ctx context.Context, k shaders.Kernel, cold bool) (Code, error) {
		calls.Add(1)
		select {
		case <-answer:
			return fakeCompile(ctx, k, cold)
		case <-ctx.Done():
			return Code{}, ctx.Err()
		}
	}
	e := open(t, o)
	_, err := e.Kernel(catalog.MustFind("add_f32"))
	says(t, err, gpu.ErrTimeout, "add_f32", "50ms")
	close(answer)
	for {
		if _, err = e.Kernel(catalog.MustFind("add_f32")); !errors.Is(err, gpu.ErrTimeout) {
			break
		}
	}
	if err != nil || calls.Load() != 1 {
		t.Errorf("%v after %d compilations", err, calls.Load())
	}
	answer = make(chan struct{})
	_, err = e.Kernel(catalog.MustFind("copy_f32"))
	says(t, err, gpu.ErrTimeout, "copy_f32")
	closed(t, e)
}

func TestRecompile(t *testing.T) {
	ledger(t)
	o := fakeOptions(t, "local=64")
	warm := true
	o.Compile = func(ctx context.Context, k shaders.Kernel, cold bool) (Code, error) {
		code, err := fakeCompile(ctx, k, cold)
		code.Warm = warm && !cold
		return code, err
	}
	e := open(t, o)
	k := catalog.MustFind("add_f32")
	for _, cold := range []bool{true, false} {
		done, err := e.Recompile(context.Background(), k, cold)
		if err != nil || done.Kernel != "add_f32" || done.Warm == cold || done.Seconds <= 0 || done.SourceSeconds > done.Seconds {
			t.Errorf("cold %v: %+v, %v", cold, done, err)
		}
	}
	if all := e.Compiles(); len(all) != 1 || !all[0].Warm || !strings.Contains(all[0].Cache, "found: PTX for the test; 40 registers a thread, 64 B") {
		t.Errorf("log: %+v", all)
	}
	warm = false
	_, err := e.Recompile(context.Background(), k, false)
	says(t, err, gpu.ErrUnsupported, "does not keep it")
	closed(t, e)
}

func TestUnseen(t *testing.T) {
	ptx := []byte(".version 7.8\n")
	a, b := unseen(ptx, 1), unseen(ptx, 2)
	if bytes.Equal(a, b) || !bytes.HasPrefix(a, ptx) || string(ptx) != ".version 7.8\n" {
		t.Errorf("%q and %q", a, b)
	}
}

// The cache is the compiler's files, and built-in kernels are distinguished from those it contained.
func TestCache(t *testing.T) {
	o := fakeOptions(t, "")
	o.Cache = func() (gpu.Cache, error) {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "open the cache", "", "read-only")
	}
	o.Compile = func(ctx context.Context, k shaders.Kernel, cold bool) (Code, error) {
		code, err := fakeCompile(ctx, k, cold)
		code.Source, code.Warm = "built in", true
		return code, err
	}
	e := open(t, o)
	if _, err := gpu.CacheOf(e); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("the cache: %v", err)
	}
	if _, err := e.Kernel(catalog.MustFind("add_f32")); err != nil {
		t.Fatal(err)
	}
	log, _ := gpu.As[gpu.CompileLog](e)
	if all := log.Compiles(); len(all) != 1 || !all[0].BuiltIn || all[0].Kernel != "add_f32" {
		t.Errorf("%+v", all)
	}
	closed(t, e)
}
