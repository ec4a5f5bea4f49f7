package exec

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// mappings counts the mapped regions of this process.
func mappings(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(b, []byte("\n"))
}

// Stacks, guarded regions and copies are released, also after faults.
func TestNothingStaysMapped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("mappings are counted in /proc/self/maps, which only Linux has")
	}
	for _, checked := range []bool{false, true} {
		k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
			threadgroup uint shared[64];
			shared[i] = i;
			threadgroup_barrier(mem_flags::mem_threadgroup);
			out[i] = simd_sum(shared[63 - i]);
			if (out[64] == 1 && i == 40) *(device uint *)(ulong)(16) = 1;
		}`, checked)
		good, bad := make([]byte, 4*65), make([]byte, 4*65)
		bad[4*64] = 1
		before := 0
		for run := range 200 {
			if run == 20 {
				before = mappings(t) // by now the allocators have what they need
			}
			if err := k.Run(t.Context(), line(64, good)); err != nil {
				t.Fatal(err)
			}
			var f *Fault
			if err := k.Run(t.Context(), line(64, bad)); !errors.As(err, &f) || !strings.Contains(f.Message, "null") {
				t.Fatalf("error %v, want a fault about a null pointer", err)
			}
		}
		if after := mappings(t); after > before+16 {
			t.Errorf("checked %v: %d mappings after 20 runs, %d after 200", checked, before, after)
		}
	}
}

// A dispatch that is canceled at any moment, such as while a threadgroup variable is placed, leaves nothing wrong for the next.
func TestCanceledAtAnyMoment(t *testing.T) {
	const args = "kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { threadgroup uint s["
	const rest = "]; s[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = s[i]; }"
	large, small := entryPoint(t, args+"8192"+rest, true), entryPoint(t, args+"64"+rest, true)
	launch := line(1, make([]byte, 1<<18))
	launch.Groups[0], launch.Workers = 16, 4
	canceled := 0
	for run := range 300 {
		if err := large.Run(t.Context(), launch); err != nil {
			t.Fatalf("run %d, after %d that were canceled: %v", run, canceled, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(run%60)*time.Microsecond, cancel)
		brief := launch
		brief.Buffers[0] = brief.Buffers[0][:4096]
		if err := small.Run(ctx, brief); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("run %d: %v", run, err)
			}
			canceled++
		}
		timer.Stop()
		cancel()
	}
	if canceled == 0 {
		t.Error("no run was canceled")
	}
}

// Copies by a SIMD group and matrices of 64 elements, as research kernels declare and use them.
func TestBeneathTheLibrary(t *testing.T) {
	k := entryPoint(t, `struct _simdgroup_event_t;
	thread _simdgroup_event_t *__metal_simdgroup_async_copy_2d(ulong, ulong, threadgroup void *, ulong, ulong, ulong2, const device void *,
		ulong, ulong, ulong2, long2, int) __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
	void __metal_wait_simdgroup_events(int, thread _simdgroup_event_t **) __asm("air.wait_simdgroup_events");
	kernel void k(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], threadgroup float *tile [[threadgroup(0)]],
		ushort lane [[thread_index_in_simdgroup]]) {
		auto event = __metal_simdgroup_async_copy_2d(4, 4, tile, 8, 1, ulong2(8, 8), in + 1, 10, 1, ulong2(6, 7), long2(0), 0);
		__metal_wait_simdgroup_events(1, &event);
		ushort row = (lane / 4 & 4) + lane / 2 % 4, column = (lane / 4 & 2) * 2 + lane % 2 * 2;
		vec<float, 64> a, b, c;
		a[0] = tile[row * 8 + column]; a[1] = tile[row * 8 + column + 1];
		b[0] = row == column ? 3 : 0; b[1] = row == column + 1 ? 3 : 0;
		c[0] = c[1] = 1;
		c = __metal_simdgroup_matrix_8x8_multiply_accumulate(a, b, c, vec<float, 64>());
		out[row * 8 + column] = c[0];
		out[row * 8 + column + 1] = c[1];
	}`, true)
	in := make([]float32, 80)
	for i := range in {
		in[i] = float32(i)
	}
	l := line(32, floats(in...), make([]byte, 256))
	l.Threadgroup[0] = 256
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	for i, v := range float32s(l.Buffers[1]) {
		row, column := i/8, i%8
		want := float32(1) // beyond the tile of 6 by 7 the copy fills with zeros
		if row < 7 && column < 6 {
			want = 3*in[1+10*row+column] + 1
		}
		if v != want {
			t.Errorf("row %d, column %d: %g, want %g", row, column, v, want)
		}
	}
}

// A struct that is copied as a whole is checked as a whole.
func TestStructCopiesAreChecked(t *testing.T) {
	k := entryPoint(t, `struct Block { float v[40]; };
	kernel void k(device Block *b [[buffer(0)]], device const Block *in [[buffer(1)]]) { b[0] = in[1]; }`, true)
	var f *Fault
	err := k.Run(t.Context(), line(1, make([]byte, 160), make([]byte, 300)))
	if !errors.As(err, &f) || !strings.Contains(f.Message, "read of 160 bytes at offset 160 of buffer(1), which has 300 bytes") {
		t.Errorf("error %v, want a fault about the read", err)
	}
	in := bytes.Repeat([]byte{1, 2, 3, 4}, 80)
	out := make([]byte, 160)
	if err := k.Run(t.Context(), line(1, out, in)); err != nil || !bytes.Equal(out, in[160:]) {
		t.Errorf("error %v, or the copy differs", err)
	}
}

// The number of workers is limited by the size of their stacks.
func TestWorkers(t *testing.T) {
	for _, tt := range []struct {
		asked   int
		threads [3]uint32
		want    int
	}{
		{1, [3]uint32{1024, 1, 1}, 1},
		{64, [3]uint32{1024, 1, 1}, 16},
		{64, [3]uint32{16, 8, 8}, 16},
		{64, [3]uint32{64, 1, 1}, 64},
		{64, [3]uint32{1 << 31, 1 << 31, 1 << 31}, 16}, // refused later
		{0, [3]uint32{1, 1, 1}, runtime.GOMAXPROCS(0)},
	} {
		l := Launch{Threads: tt.threads, Workers: tt.asked}
		if got := l.workers(); got != tt.want {
			t.Errorf("%d workers of %v threads: %d run, want %d", tt.asked, tt.threads, got, tt.want)
		}
	}
}
