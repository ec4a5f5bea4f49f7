package msl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const scaleText = `
constant float by [[function_constant(4)]];
constant bool offset [[function_constant(5)]];
constant float start = is_function_constant_defined(offset) ? 1.0f : 0.0f;
constant float twice = by * 2;
kernel void scale(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = x[i] * twice + start; }
`

func f32(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestFunctionConstants(t *testing.T) {
	l, err := compileText(t, scaleText)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		values map[int][]byte
		want   []byte
	}{
		"given":     {map[int][]byte{4: f32(3)}, f32(6, 12)},
		"all given": {map[int][]byte{4: f32(3), 5: {0}}, f32(7, 13)},
		"none":      {nil, f32(0, 0)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			k, err := l.Kernel(context.Background(), "scale", tt.values)
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			x := f32(1, 2)
			launch := Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{2, 1, 1}}
			launch.Buffers[0] = x
			if err := k.Run(context.Background(), launch); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(x, tt.want) {
				t.Errorf("got % x, want % x", x, tt.want)
			}
		})
	}
}

func TestKernelErrors(t *testing.T) {
	l, err := compileText(t, scaleText)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := l.Kernel(ctx, "other", nil); err == nil || !strings.Contains(err.Error(), `no kernel "other"`) {
		t.Errorf("an unknown kernel: %v", err)
	}
	if _, err := l.Kernel(ctx, "scale", map[int][]byte{4: make([]byte, 33)}); err == nil || !strings.Contains(err.Error(), "33 bytes") {
		t.Errorf("a constant of 33 bytes: %v", err)
	}
	k, err := l.Kernel(ctx, "scale", nil)
	if err != nil {
		t.Fatal(err)
	}
	launch := Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{1, 1, 1}}
	if err := k.Run(ctx, launch); err == nil || !strings.Contains(err.Error(), "nothing is bound to argument x, buffer 0") {
		t.Errorf("an argument that is not bound: %v", err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if err := k.Run(ctx, launch); err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("a closed kernel: %v", err)
	}
}

// A fault names the place in the source, also where the code is in a header of the language or in a macro.
func TestFaultPlaces(t *testing.T) {
	needsChecking(t)
	tests := map[string]struct {
		text string
		line int
	}{
		"store":     {"kernel void k(device float *x [[buffer(0)]],\n uint i [[thread_position_in_grid]]) {\n\n  x[i + 100] = 1;\n}", 6},
		"in macro":  {"#define PUT(v) x[v] = 1\nkernel void k(device float *x [[buffer(0)]]) {\n  PUT(100);\n}", 5},
		"in header": {"kernel void k(device atomic_uint *x [[buffer(0)]]) {\n  uint v = 1;\n  atomic_fetch_add_explicit(x + 100, v, memory_order_relaxed);\n}", 5},
		"barrier":   {"kernel void k(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n  if (i == 0)\n    threadgroup_barrier(mem_flags::mem_none);\n  else\n    threadgroup_barrier(mem_flags::mem_device);\n}", 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := Source{Name: "test.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + tt.text}
			l, err := testCompiler(t).Compile(context.Background(), s, Options{Checked: true, Cache: sharedCache(t)})
			if err != nil {
				t.Fatal(err)
			}
			k, err := l.Kernel(context.Background(), "k", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			launch := Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{2, 1, 1}}
			launch.Buffers[0] = make([]byte, 16)
			err = k.Run(context.Background(), launch)
			var f *Fault
			if !errors.As(err, &f) {
				t.Fatalf("error %v, want a Fault", err)
			}
			if f.File != "test.metal" || f.Line != tt.line || f.Kernel != "k" {
				t.Errorf("fault %v, want line %d of test.metal", f, tt.line)
			}
		})
	}
}

// A damaged file of the cache is made again, and processes may fill one cache at the same time.
func TestCache(t *testing.T) {
	c, dir, ctx := testCompiler(t), t.TempDir(), context.Background()
	s := Source{Name: "c.metal", Text: scaleText}
	build := func() error {
		l, err := c.Compile(ctx, s, Options{Cache: dir})
		if err != nil {
			return err
		}
		k, err := l.Kernel(ctx, "scale", nil)
		if err != nil {
			return err
		}
		return k.Close()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if err := build(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	files, err := filepath.Glob(filepath.Join(dir, "*-*.*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("files in the cache: %q, %v", files, err)
	}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(); err != nil {
		t.Errorf("after damage: %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "build-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func fakeClang(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo \"clang version 16.0.0\"; exit 0; fi\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A compiler that hangs, crashes or is no clang is an error.
func TestBrokenCompilers(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"hangs":   {"sleep 60\n", "did not end in time"},
		"crashes": {"kill -SEGV $$\n", "crashed"},
		"reports": {"echo 'PLEASE submit a bug report' >&2; exit 1\n", "crashed"},
		"refuses": {"echo 'no such option' >&2; exit 1\n", "no such option"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := tryClang(fakeClang(t, tt.script))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			_, err = c.Compile(ctx, Source{Name: "x.metal", Text: "int a;"}, Options{Cache: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	old := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho Debian clang version 14.0.6\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSAY_CLANG", old)
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "is clang 14, want 16 or later") {
		t.Errorf("clang 14: %v", err)
	}
	t.Setenv("ASSAY_CLANG", "/nowhere/clang")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "ASSAY_CLANG") {
		t.Errorf("no file: %v", err)
	}
	t.Setenv("ASSAY_CLANG", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "apt install") {
		t.Errorf("no clang: %v", err)
	}
}

func TestIncludesAndMacros(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "beside.h"): "#pragma once\nconstant int a = 1;\n", filepath.Join(other, "far.h"): "constant int b = VALUE;\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := Source{
		Name: filepath.Join(dir, "k.metal"), Include: []string{other}, Macros: map[string]string{"VALUE": "7"},
		Text: "#include \"beside.h\"\n#include <far.h>\nkernel void k(device int *x) { x[0] = a + b; }",
	}
	if _, err := testCompiler(t).Compile(context.Background(), s, Options{Cache: sharedCache(t)}); err != nil {
		t.Fatal(err)
	}
	s.Macros["VALUE"] = "nothing"
	_, err := testCompiler(t).Compile(context.Background(), s, Options{Cache: sharedCache(t)})
	if err == nil || !strings.Contains(err.Error(), "far.h:1:18: error: use of undeclared identifier 'nothing'") {
		t.Errorf("an error in an included file: %v", err)
	}
}

// Fast math must leave infinity alone: kernels start a maximum from it and mask with it.
func TestFastMathKeepsInfinity(t *testing.T) {
	s := Source{Name: "f.metal", Text: `#include <metal_stdlib>
using namespace metal;
kernel void k(device float *x [[buffer(0)]]) { float m = -INFINITY; m = max(m, x[0]); x[1] = isinf(x[2]) ? m : 0.0f; x[3] = isnan(x[3]) ? 1.0f : 2.0f; }`}
	for _, checked := range []bool{false, true} {
		if checked {
			needsChecking(t)
		}
		l, err := testCompiler(t).Compile(context.Background(), s, Options{FastMath: true, Checked: checked, Cache: sharedCache(t)})
		if err != nil {
			t.Fatal(err)
		}
		k, err := l.Kernel(context.Background(), "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		x := f32(-5, 0, float32(math.Inf(1)), float32(math.NaN()))
		launch := Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{1, 1, 1}}
		launch.Buffers[0] = x
		if err := k.Run(context.Background(), launch); err != nil {
			t.Fatal(err)
		}
		if want := f32(-5, -5, float32(math.Inf(1)), 1); !bytes.Equal(x, want) {
			t.Errorf("checked %v: got % x, want % x", checked, x, want)
		}
	}
}
