package exec

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"time"
)

// lanes runs expressions of x, which is lane + 1 in each of two SIMD groups of 32, and compares each lane's result.
func lanes(t *testing.T, list []laneCase) {
	t.Helper()
	var b strings.Builder
	b.WriteString("kernel void k(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]]) {\n")
	b.WriteString("uint x = lane + 1; float f = x; half h = x; bfloat b = bfloat(x); ulong l = ulong(x) << 40;\n")
	for c, e := range list {
		fmt.Fprintf(&b, "{ out[%d + i] = float(%s); }\n", 64*c, e.text)
	}
	k := entryPoint(t, b.String()+"}", true)
	for order := range 4 {
		out := make([]byte, 4*64*len(list))
		if err := k.run(t.Context(), line(64, out), order); err != nil {
			t.Fatal(err)
		}
		for i, v := range float32s(out) {
			if c := list[i/64]; float64(v) != c.want(i%32) {
				t.Fatalf("order %d: %s in lane %d = %g, want %g", order, c.text, i%32, v, c.want(i%32))
			}
		}
	}
}

type laneCase struct {
	text string
	want func(lane int) float64
}

func always(v float64) func(int) float64 { return func(int) float64 { return v } }

func TestLanes(t *testing.T) {
	within := func(to func(int) int, size int) func(int) float64 {
		return func(lane int) float64 {
			base := lane / size * size
			if j := to(lane - base); j >= 0 && j < size {
				return float64(base + j + 1)
			}
			return float64(lane + 1) // its own
		}
	}
	up := func(by int) func(int) int { return func(i int) int { return i - by } }
	lanes(t, []laneCase{
		{"simd_sum(x)", always(528)},
		{"simd_sum(f)", always(528)},
		{"simd_sum(h)", always(528)},
		{"simd_sum(b)", always(528)},
		{"simd_sum(l) >> 40", always(528)},
		{"simd_sum(float4(f, 2 * f, 0, 1)).y", always(1056)},
		{"simd_product(x & 1 ? 1 : 2)", always(65536)},
		{"simd_min(f)", always(1)},
		{"simd_max(h)", always(32)},
		{"simd_max(-int(x))", always(-1)},
		{"simd_and(x | 64)", always(64)},
		{"simd_or(x)", always(63)},
		{"simd_xor(x)", always(32)},
		{"simd_prefix_inclusive_sum(x)", func(i int) float64 { return float64((i + 1) * (i + 2) / 2) }},
		{"simd_prefix_exclusive_sum(f)", func(i int) float64 { return float64(i * (i + 1) / 2) }},
		{"simd_prefix_exclusive_product(2u)", func(i int) float64 { return float64(uint32(1) << i) }},
		{"simd_prefix_inclusive_product(lane < 3 ? f : 1.0f)", func(i int) float64 { return []float64{1, 2, 6}[min(i, 2)] }},
		{"simd_shuffle(f, 5)", always(6)},
		{"simd_shuffle(l, lane) >> 40", within(up(0), 32)},
		{"simd_broadcast(h, 31)", always(32)},
		{"simd_broadcast_first(x)", always(1)},
		{"simd_shuffle_up(x, 3)", within(up(3), 32)},
		{"simd_shuffle_down(half2(h), 4).x", within(func(i int) int { return i + 4 }, 32)},
		{"simd_shuffle_xor(x, 5)", within(func(i int) int { return i ^ 5 }, 32)},
		{"simd_shuffle_rotate_up(x, 2)", within(func(i int) int { return (i + 30) % 32 }, 32)},
		{"simd_shuffle_rotate_down(x, 2)", within(func(i int) int { return (i + 2) % 32 }, 32)},
		{"simd_shuffle_and_fill_up(x, x + 100, 2)", func(i int) float64 {
			if i < 2 {
				return float64(100 + 30 + i + 1)
			}
			return float64(i - 1)
		}},
		{"simd_shuffle_and_fill_down(x, x + 100, 1, 8)", func(i int) float64 {
			if i%8 == 7 {
				return float64(100 + i/8*8 + 1)
			}
			return float64(i + 2)
		}},
		{"popcount(uint(ulong(simd_ballot(x > 5))))", always(27)},
		{"simd_any(x == 7)", always(1)},
		{"simd_all(x < 32)", always(0)},
		{"simd_is_first()", func(i int) float64 {
			if i == 0 {
				return 1
			}
			return 0
		}},
		{"popcount(uint(ulong(simd_active_threads_mask())))", always(32)},
		{"quad_sum(f)", func(i int) float64 { return float64(16*(i/4) + 10) }},
		{"quad_max(x)", func(i int) float64 { return float64(i/4*4 + 4) }},
		{"quad_broadcast(x, 2)", func(i int) float64 { return float64(i/4*4 + 3) }},
		{"quad_shuffle_xor(x, 1)", within(func(i int) int { return i ^ 1 }, 4)},
		{"quad_shuffle_up(x, 1)", within(up(1), 4)},
		{"quad_prefix_exclusive_sum(x)", func(i int) float64 {
			sum := 0
			for j := i / 4 * 4; j < i; j++ {
				sum += j + 1
			}
			return float64(sum)
		}},
		{"uint(quad_vote::vote_t(quad_ballot(x & 1)))", always(5)},
		{"quad_all(x > 4)", func(i int) float64 {
			if i < 4 {
				return 0
			}
			return 1
		}},
	})
}

// Lanes that leave a loop early participate again after it, and exchanges in the loop only see those still in it.
func TestLanesMeetAfterLoop(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint lane [[thread_index_in_simdgroup]]) {
		uint inside = 0;
		for (uint j = 0; j <= lane; j++) inside += popcount(uint(ulong(simd_ballot(true))));
		out[lane] = inside;
		out[32 + lane] = simd_sum(1u);
	}`, true)
	for order := range 4 {
		out := make([]byte, 4*64)
		if err := k.run(t.Context(), line(32, out), order); err != nil {
			t.Fatal(err)
		}
		got := uints(out)
		for lane := range 32 {
			want := uint32(0)
			for j := 0; j <= lane; j++ {
				want += uint32(32 - j)
			}
			if got[lane] != want || got[32+lane] != 32 {
				t.Fatalf("order %d, lane %d: %d lanes in the loop and %d behind it, want %d and 32", order, lane, got[lane], got[32+lane], want)
			}
		}
	}
}

// A group that is not a multiple of 32 has a last SIMD group with fewer lanes.
func TestPartialSIMDGroup(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]], uint groups [[simdgroups_per_threadgroup]]) {
		out[i] = uint(ulong(simd_active_threads_mask())) * groups;
	}`, true)
	out := make([]byte, 4*40)
	if err := k.Run(t.Context(), line(40, out)); err != nil {
		t.Fatal(err)
	}
	if got := uints(out); got[39] != 255*2 || got[0] != 0xfffffffe {
		t.Errorf("masks %#x and %#x, want all 32 lanes and 8", got[0], got[39])
	}
}

func TestSIMDGroupMatrix(t *testing.T) {
	k := entryPoint(t, `kernel void k(device const float *a [[buffer(0)]], device const half *b [[buffer(1)]], device float *out [[buffer(2)]],
		threadgroup float *shared [[threadgroup(0)]], ushort lane [[thread_index_in_simdgroup]]) {
		simdgroup_float8x8 x, c = make_filled_simdgroup_matrix<float, 8>(1.0f), y;
		simdgroup_half8x8 z;
		simdgroup_load(x, a, 10, ulong2(1, 2));
		simdgroup_load(z, b, 8, 0, true);
		simdgroup_multiply_accumulate(c, x, z, c);
		simdgroup_store(c, shared, 8);
		simdgroup_barrier(mem_flags::mem_threadgroup);
		for (ushort i = lane; i < 64; i += 32) out[i] = shared[i];
		simdgroup_multiply(y, x, simdgroup_float8x8(2.0f));
		simdgroup_store(y, out + 64, 8, ulong2(0), true);
		const short quad = lane / 4, row = (quad & 4) + (lane / 2) % 4, column = (quad & 2) * 2 + (lane % 2) * 2;
		out[128 + row * 8 + column] = c.thread_elements()[0];
		out[128 + row * 8 + column + 1] = c.thread_elements()[1];
	}`, true)
	a, b := make([]float32, 100), make([]byte, 2*64)
	for i := range a {
		a[i] = float32(i%17) - 8
	}
	for i := range 64 {
		b[2*i+1] = []byte{0x3c, 0x40, 0xbc, 0x00}[i%4] // 1, 2, −1, 0
	}
	values := []float32{1, 2, -1, 0}
	l := line(32, floats(a...), b, make([]byte, 4*192))
	l.Threadgroup[0] = 256
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	got := float32s(l.Buffers[2])
	at := func(r, c int) float32 { return a[(r+2)*10+c+1] }
	for r := range 8 {
		for c := range 8 {
			want := float32(1)
			for i := range 8 {
				want += at(r, i) * values[(c*8+i)%4] // b is transposed
			}
			if got[r*8+c] != want || got[128+r*8+c] != want {
				t.Errorf("row %d, column %d: %g in memory and %g in its lane, want %g", r, c, got[r*8+c], got[128+r*8+c], want)
			}
			if twice := got[64+c*8+r]; twice != 2*at(r, c) {
				t.Errorf("row %d, column %d of the double is %g, want %g", r, c, twice, 2*at(r, c))
			}
		}
	}
}

func TestAtomics(t *testing.T) {
	k := entryPoint(t, `struct Out { atomic_uint add, least, most, bits, turns; atomic_int sub; atomic<float> sum; atomic_uint ex; atomic_ulong big; };
	kernel void k(device Out &o [[buffer(0)]], uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
		threadgroup atomic_uint here;
		if (t == 0) atomic_store_explicit(&here, 0, memory_order_relaxed);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		atomic_fetch_add_explicit(&here, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&o.add, i, memory_order_relaxed);
		atomic_fetch_min_explicit(&o.least, i + 5, memory_order_relaxed);
		atomic_fetch_max_explicit(&o.most, i, memory_order_relaxed);
		atomic_fetch_or_explicit(&o.bits, 1u << (i % 32), memory_order_relaxed);
		atomic_fetch_sub_explicit(&o.sub, 2, memory_order_relaxed);
		atomic_fetch_add_explicit(&o.sum, 0.5f, memory_order_relaxed);
		atomic_max_explicit(&o.big, ulong(i) << 32, memory_order_relaxed);
		uint seen = atomic_load_explicit(&o.turns, memory_order_relaxed);
		while (!atomic_compare_exchange_weak_explicit(&o.turns, &seen, seen + 3, memory_order_relaxed, memory_order_relaxed)) {}
		threadgroup_barrier(mem_flags::mem_threadgroup);
		if (t == 0) atomic_exchange_explicit(&o.ex, atomic_load_explicit(&here, memory_order_relaxed), memory_order_relaxed);
	}`, false)
	l := line(64, make([]byte, 48))
	copy(l.Buffers[0][4:], []byte{0xff, 0xff, 0xff, 0xff})
	l.Groups[0], l.Workers = 128, 4
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	const n = 64 * 128
	got := uints(l.Buffers[0])
	sub := int32(-2 * n)
	want := []uint32{n * (n - 1) / 2, 5, n - 1, 0xffffffff, 3 * n, uint32(sub), 0x45800000, 64, 0, 0, 0, 0}
	want[9] = n - 1 // the upper half of big, which is aligned to 8
	for i, w := range want {
		if got[i] != w {
			t.Errorf("word %d is %#x, want %#x", i, got[i], w)
		}
	}
}

// Threads of a group start in the requested order.
func TestOrders(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], device atomic_uint *turn [[buffer(1)]], uint i [[thread_position_in_grid]]) {
		out[atomic_fetch_add_explicit(turn, 1, memory_order_relaxed)] = i;
	}`, false)
	run := func(order int, seed uint64) []uint32 {
		l := line(8, make([]byte, 4*128), make([]byte, 4))
		l.Groups[0], l.Workers, l.Seed = 16, 1, seed
		if err := k.run(t.Context(), l, order); err != nil {
			t.Fatal(err)
		}
		return uints(l.Buffers[0])
	}
	forward, backward, mixed, again, other := run(0, 1), run(1, 1), run(2, 1), run(2, 1), run(2, 2)
	seen := [4]uint32{}
	for i := range uint32(128) {
		if forward[i] != i || backward[i] != 127-i {
			t.Fatalf("turn %d: thread %d forward and %d backward", i, forward[i], backward[i])
		}
		if mixed[i] != again[i] {
			t.Fatalf("turn %d: one seed gave threads %d and %d", i, mixed[i], again[i])
		}
		seen[mixed[i]/32] |= 1 << (mixed[i] % 32)
	}
	if fmt.Sprint(mixed) == fmt.Sprint(other) || fmt.Sprint(mixed) == fmt.Sprint(forward) {
		t.Error("shuffled orders of two seeds are the same, or no shuffle")
	}
	for _, s := range seen {
		if bits.OnesCount32(s) != 32 {
			t.Errorf("threads that ran: %#x", seen)
		}
	}
}

// Memory that is bound twice stays one memory, and memory that vectors cannot be loaded from in place is copied.
func TestBindings(t *testing.T) {
	for _, checked := range []bool{false, true} {
		k := entryPoint(t, `kernel void k(device float4 *out [[buffer(0)]], device const float *in [[buffer(1)]], device float *tail [[buffer(2)]]) {
			out[0] = float4(in[0], in[1], in[2], in[3]) * 2;
			tail[0] += 1;
		}`, checked)
		for shift := range 3 {
			memory := floats(9, 9, 9, 1, 2, 3, 4, 9)[12-4*shift:]
			b := memory[4*shift:][:16]
			if err := k.Run(t.Context(), line(1, b, b, b[12:])); err != nil {
				t.Fatal(err)
			}
			if got := float32s(b); got[0] != 2 || got[2] != 6 || got[3] != 9 {
				t.Errorf("checked %v, shift %d: %g, want 2, 4, 6, 9", checked, shift, got)
			}
		}
	}
}

// A kernel that never ends is stopped with its context, whether or not it waits for others.
func TestEndlessKernels(t *testing.T) {
	for _, body := range []string{
		"while (atomic_load_explicit(out, memory_order_relaxed) == 0) {}",
		"while (atomic_load_explicit(out, memory_order_relaxed) == 0) threadgroup_barrier(mem_flags::mem_none);",
	} {
		k := entryPoint(t, "kernel void k(device atomic_uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { "+body+" }", false)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		l := line(64, make([]byte, 4))
		l.Groups[0], l.Workers = 4, 3
		err := k.Run(ctx, l)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v, want that of the context", body, err)
		}
		l.Buffers[0][0] = 1
		if err := k.Run(t.Context(), l); err != nil {
			t.Errorf("the kernel does not run after it was interrupted: %v", err)
		}
	}
}
