package exec

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
)

// testCompiler skips a test if there is no suitable clang. Only the Linux machines of CI must have one: Apple's own clang may not
// support address spaces in C++.
func testCompiler(t testing.TB) *clang.Compiler {
	t.Helper()
	c, err := clang.Find()
	switch {
	case err == nil:
		return c
	case os.Getenv("CI") != "" && runtime.GOOS == "linux":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return nil
}

// needsChecking skips a test of checking mode where it is not available.
func needsChecking(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "darwin" {
		t.Skip(clang.ErrNoChecking)
	}
}

// testCache is the folder of the simulated Metal in the user's cache, which all tests and later runs share. Its files are named
// by the hash of all their inputs, so that unchanged code is not compiled again.
func testCache(t testing.TB) string {
	t.Helper()
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(user, "assay", "metalsim")
}

// compile compiles the text of a file, in checking mode if requested.
func compile(t testing.TB, text string, o clang.Options) *clang.Library {
	t.Helper()
	if o.Checked {
		needsChecking(t)
	}
	o.Cache = testCache(t)
	s := msl.Source{Name: "test.metal", Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text}
	l, err := testCompiler(t).Compile(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// open loads a kernel of a library, until the test ends.
func open(t testing.TB, l *clang.Library, name string, values map[int][]byte) *Kernel {
	t.Helper()
	o, err := l.Object(context.Background(), name, values)
	if err != nil {
		t.Fatal(err)
	}
	k, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// entryPoint returns the kernel k of a source.
func entryPoint(t testing.TB, text string, checked bool) *Kernel {
	t.Helper()
	return open(t, compile(t, text, clang.Options{Checked: checked}), "k", nil)
}

// line returns a launch of one group of n threads.
func line(n uint32, buffers ...[]byte) Launch {
	l := Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{n, 1, 1}}
	copy(l.Buffers[:], buffers)
	return l
}

func uints(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func floats(values ...float32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func TestGridPositions(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint3 p [[thread_position_in_grid]], uint3 n [[threads_per_grid]],
		uint3 here [[threads_per_threadgroup]], uint3 whole [[dispatch_threads_per_threadgroup]]) {
		out[(p.z * n.y + p.y) * n.x + p.x] = p.x + 100 * p.y + 10000 * p.z + 1000000 * (here.x < whole.x);
	}`, true)
	out := make([]byte, 4*5*3*2)
	l := Launch{Threads: [3]uint32{4, 2, 1}, Grid: [3]uint32{5, 3, 2}, Workers: 2}
	l.Buffers[0] = out
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := uints(out)
	for z := range uint32(2) {
		for y := range uint32(3) {
			for x := range uint32(5) {
				want := x + 100*y + 10000*z
				if x == 4 {
					want += 1000000 // the group at the edge is narrower
				}
				if g := got[(z*3+y)*5+x]; g != want {
					t.Errorf("thread %d, %d, %d left %d, want %d", x, y, z, g, want)
				}
			}
		}
	}
}

const reverse = `kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
	threadgroup uint shared[256];
	shared[i] = i;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = shared[n - 1 - i];
}`

func TestBarrier(t *testing.T) {
	for _, checked := range []bool{false, true} {
		k := entryPoint(t, reverse, checked)
		for order := range 5 {
			out := make([]byte, 4*256)
			if err := k.run(t.Context(), line(256, out), order); err != nil {
				t.Fatal(err)
			}
			for i, v := range uints(out) {
				if v != uint32(255-i) {
					t.Fatalf("order %d: thread %d read %d, want %d", order, i, v, 255-i)
				}
			}
		}
	}
}

func TestFaults(t *testing.T) {
	const args = "kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {\n"
	for _, c := range []struct {
		name, body string
		threads    uint32
		line       int // in the body, 0: not known
		says       string
	}{
		{"read beyond a buffer", "uint v = 0;\nif (i == 3) v = out[64];\nif (v) out[i] = v;", 64, 2, "read of 4 bytes at offset 256 of buffer(0), which has 256 bytes"},
		{"write before a buffer", "device uint *p = out - 1;\np[i] = 1;", 64, 2, "write of 4 bytes at offset -4 of buffer(0)"},
		{"write far away", "if (i == 1) out[1u << 30] = 1;", 64, 1, "at offset 4294967296 of buffer(0)"},
		{"threadgroup array", "threadgroup uint s[16];\ns[i] = i;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nout[i] = s[0];", 64, 2, ""},
		{"threadgroup pointer", "threadgroup uint s[16];\nthreadgroup uint *p = s;\np[i + 1] = i;\nout[i] = p[0];", 64, 3, "threadgroup variable s, which has 64 bytes"},
		{"too much threadgroup memory", "threadgroup uint a[4096];\nthreadgroup uint b[4097];\na[i] = b[i] = i;\nout[i] = a[i] + b[i];", 64, 2, "the limit is 32768"},
		{"ended before a barrier", "if (i >= 17) return;\nthreadgroup_barrier(mem_flags::mem_none);\nout[i] = i;", 64, 2, "reached by 17 of 64 threads; 47 ended"},
		{"different barriers", "if (i < 5) {\nthreadgroup_barrier(mem_flags::mem_none);\n} else {\nthreadgroup_barrier(mem_flags::mem_none);\n}\nout[i] = i;", 64, 2, "reached by 5 of 64 threads; the others wait at another"},
		{"SIMD barrier of some lanes", "if (i & 1) simdgroup_barrier(mem_flags::mem_none);\nout[i] = i;", 64, 1, "reached by 16 of the SIMD group's 32 lanes"},
		{"stack", "volatile uint big[1 << 18];\nbig[i] = i;\nout[i] = big[i];", 32, 0, "stack overflow"},
		{"too many threads", "out[i] = i;", 1025, 0, "the limit is 1 to 1024"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := entryPoint(t, args+c.body+"\n}", true)
			err := k.Run(t.Context(), line(c.threads, make([]byte, 256)))
			var f *Fault
			if !errors.As(err, &f) || !strings.Contains(f.Message, c.says) || f.Kernel != "k" {
				t.Fatalf("error %v, want a fault that says %q", err, c.says)
			}
			if want := c.line + 3; c.line != 0 && (f.Line != want || f.File != "test.metal") {
				t.Errorf("at %s:%d, want test.metal:%d", f.File, f.Line, want)
			}
		})
	}
}

// A kernel that only damages its own dispatch, without checking mode.
func TestPlainKernelsCannotEndTheProcess(t *testing.T) {
	for body, says := range map[string]string{
		"device uint *p = (device uint *)(ulong)(16); *p = i;":               "null pointer",
		"volatile uint zero = 0; out[i] = i / zero;":                         "division by zero",
		"device uint *p = (device uint *)(0x700000000000ul); out[i] = p[i];": "not the kernel's",
	} {
		k := entryPoint(t, "kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { "+body+" }", false)
		err := k.Run(t.Context(), line(64, make([]byte, 256)))
		var f *Fault
		if !errors.As(err, &f) || !strings.Contains(f.Message, says) {
			t.Errorf("%s: error %v, want a fault that says %q", body, err, says)
		}
	}
}

// Lanes that take a branch exchange among themselves, and all of them after it.
func TestDivergentLanes(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
		uint a = 0;
		if (i % 2 == 0) {
			a = simd_sum(i);
		}
		out[i] = simd_sum(a);
	}`, true)
	out := make([]byte, 4*64)
	if err := k.Run(t.Context(), line(64, out)); err != nil {
		t.Fatal(err)
	}
	for i, v := range uints(out) {
		want := uint32(16 * 240) // 16 lanes have the sum of the even numbers below 32
		if i >= 32 {
			want = 16 * (240 + 16*32)
		}
		if v != want {
			t.Errorf("lane %d got %d, want %d", i, v, want)
		}
	}
}

func TestRaceMode(t *testing.T) {
	race := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
		threadgroup uint shared[64];
		shared[i] = i;
		out[i] = shared[63 - i]; // a barrier is missing
	}`, false)
	err := race.Race(t.Context(), line(64, make([]byte, 256)), 4)
	var f *Fault
	if !errors.As(err, &f) || !strings.Contains(f.Message, "data race") || !strings.Contains(f.Message, "buffer 0 (out)") {
		t.Errorf("a racy kernel: %v", err)
	}
	if err := entryPoint(t, reverse, false).Race(t.Context(), line(64, make([]byte, 256)), 4); err != nil {
		t.Errorf("a kernel without a race: %v", err)
	}
}

func TestCancel(t *testing.T) {
	k := entryPoint(t, `kernel void k(device atomic_uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
		for (uint j = 0; j < 1000; j++) atomic_fetch_add_explicit(out, 1, memory_order_relaxed);
	}`, false)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	l := line(256, make([]byte, 4))
	l.Groups[0] = 1 << 20
	if err := k.Run(ctx, l); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestGroupsRunSideBySide(t *testing.T) {
	k := entryPoint(t, `kernel void k(device atomic_uint *out [[buffer(0)]], device const float *in [[buffer(1)]], uint i [[thread_position_in_grid]]) {
		atomic_fetch_add_explicit(out, uint(in[i]), memory_order_relaxed);
	}`, true)
	in := make([]float32, 4096)
	for i := range in {
		in[i] = 3
	}
	l := line(64, make([]byte, 4), floats(in...))
	l.Groups[0], l.Workers = 64, 4
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if got := uints(l.Buffers[0])[0]; got != 3*4096 {
		t.Errorf("the sum is %d, want %d", got, 3*4096)
	}
}
