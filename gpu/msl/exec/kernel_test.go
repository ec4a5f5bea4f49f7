package exec

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

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
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
	l := compile(t, scaleText, clang.Options{})
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
			k := open(t, l, "scale", tt.values)
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
	l := compile(t, scaleText, clang.Options{})
	ctx := context.Background()
	if _, err := l.Object(ctx, "other", nil); err == nil || !strings.Contains(err.Error(), `no kernel "other"`) {
		t.Errorf("an unknown kernel: %v", err)
	}
	if _, err := l.Object(ctx, "scale", map[int][]byte{4: make([]byte, 33)}); err == nil || !strings.Contains(err.Error(), "33 bytes") {
		t.Errorf("a constant of 33 bytes: %v", err)
	}
	k := open(t, l, "scale", nil)
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

// A fault names the place in the source, even if the code is in a header of the language or in a macro.
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
			k := entryPoint(t, tt.text, true)
			launch := Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{2, 1, 1}}
			launch.Buffers[0] = make([]byte, 16)
			err := k.Run(context.Background(), launch)
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

// A damaged file of the cache is created again, and processes may fill one cache at the same time.
func TestCache(t *testing.T) {
	c, dir, ctx := testCompiler(t), t.TempDir(), context.Background()
	s := msl.Source{Name: "c.metal", Text: scaleText}
	build := func() error {
		l, err := c.Compile(ctx, s, clang.Options{Cache: dir})
		if err != nil {
			return err
		}
		o, err := l.Object(ctx, "scale", nil)
		if err != nil {
			return err
		}
		k, err := Load(o)
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

// Fast math must preserve infinity: kernels initialize a maximum with it and use it as a mask.
func TestFastMathKeepsInfinity(t *testing.T) {
	const text = `
kernel void k(device float *x [[buffer(0)]]) { float m = -INFINITY; m = max(m, x[0]); x[1] = isinf(x[2]) ? m : 0.0f; x[3] = isnan(x[3]) ? 1.0f : 2.0f; }`
	for _, checked := range []bool{false, true} {
		k := open(t, compile(t, text, clang.Options{FastMath: true, Checked: checked}), "k", nil)
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

// A launch with more threads than the kernel's attribute allows is refused.
func TestAttributeLimitsLaunches(t *testing.T) {
	k := entryPoint(t, "[[max_total_threads_per_threadgroup(32)]] kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { out[i] = i; }", false)
	if err := k.Run(t.Context(), line(32, make([]byte, 256))); err != nil {
		t.Error(err)
	}
	err := k.Run(t.Context(), line(33, make([]byte, 256)))
	if err == nil || !strings.Contains(err.Error(), "33 threads in a threadgroup, its max_total_threads_per_threadgroup is 32") {
		t.Errorf("33 threads: %v", err)
	}
}
