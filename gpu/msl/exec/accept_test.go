package exec

import (
	"slices"
	"testing"
)

// Logging and assertions are accepted, and change nothing.
func TestLoggingAndAssertions(t *testing.T) {
	k := entryPoint(t, `#include <metal_logging>
	#include <metal_assert>
	constant os_log logger("kernels", "test");
	kernel void k(device uint *x [[buffer(0)]]) {
		assert(x[0] == 3);
		os_log_default.log("x is %u", x[0]);
		logger.log_error("x is %u", x[0]);
		x[0] = 4;
	}`, false)
	l := line(1, []byte{3, 0, 0, 0})
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if l.Buffers[0][0] != 4 {
		t.Errorf("x is %d, want 4", l.Buffers[0][0])
	}
}

// The inner names of Apple's library that published kernels call.
func TestInnerNames(t *testing.T) {
	k := entryPoint(t, `kernel void k(device float *x [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
		x[i] = __metal_simd_shuffle_down(float(i), ushort(1)) + __metal_simd_sum(1.0f);
		x[i] += __metal_exp(0.0f, __METAL_MAYBE_FAST_MATH__);
	}`, false)
	l := line(32, make([]byte, 128))
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	for i, v := range float32s(l.Buffers[0])[:31] {
		if want := float32(i + 1 + 32 + 1); v != want {
			t.Errorf("lane %d: %g, want %g", i, v, want)
		}
	}
}

func TestVectorShifts(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *o [[buffer(0)]], constant uint *n [[buffer(1)]]) {
		uint4 v = uint4(1) << uint4(n[0]);
		ushort2 s = ushort2(0x8000) >> ushort2(n[0]);
		int2 d = int2(-8); d >>= int(n[0]);
		o[0] = v.x; o[1] = s.y; o[2] = uint(d.x);
	}`, false)
	l := line(1, make([]byte, 12), []byte{33, 0, 0, 0})
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if got, want := uints(l.Buffers[0]), []uint32{2, 0x4000, 0xfffffffc}; !slices.Equal(got, want) {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

func TestPackFunctions(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *o [[buffer(0)]], device float *f [[buffer(1)]]) {
		o[0] = pack_float_to_unorm4x8(float4(0, 1, 0.5, 2));
		o[1] = pack_float_to_snorm4x8(float4(-1, 1, -3, 0));
		o[2] = pack_float_to_unorm2x16(float2(1, 0));
		o[3] = pack_half_to_snorm2x16(half2(-1, 1));
		o[4] = pack_float_to_unorm10a2(float4(1, 0, 1, 1));
		f[0] = unpack_unorm4x8_to_float(0xff000033u).x;
		f[1] = unpack_snorm4x8_to_float(0x80u).x;
		f[2] = unpack_snorm2x16_to_float(0x80010000u).y;
		f[3] = unpack_unorm4x8_to_half(0xff000000u).w;
		f[4] = unpack_unorm10a2_to_float(0x40000000u).w;
	}`, false)
	l := line(1, make([]byte, 20), make([]byte, 20))
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if got, want := uints(l.Buffers[0]), []uint32{0xff80ff00, 0x00817f81, 0x0000ffff, 0x7fff8001, 0xfff003ff}; !slices.Equal(got, want) {
		t.Errorf("packed %#x, want %#x", got, want)
	}
	if got, want := float32s(l.Buffers[1]), []float32{0.2, -1, -1, 1, 1.0 / 3}; !slices.Equal(got, want) {
		t.Errorf("unpacked %g, want %g", got, want)
	}
}

// A specialization in class scope, followed by an address space, is found like any other.
func TestSpecializationInClassScope(t *testing.T) {
	k := entryPoint(t, `struct pair { float a, b; };
	struct Sum {
		template <typename T> T operator()(T x, T y) { return x + y; }
		template <> pair operator()(pair x, pair y) thread { return {x.a + y.a, x.b + y.b}; }
	};
	kernel void k(device float *o [[buffer(0)]]) { pair p = Sum()(pair{1, 2}, pair{3, 4}); o[0] = p.a; o[1] = p.b; o[2] = Sum()(5.0f, 6.0f); }`, false)
	l := line(1, make([]byte, 12))
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if got, want := float32s(l.Buffers[0]), []float32{4, 6, 11}; !slices.Equal(got, want) {
		t.Errorf("got %g, want %g", got, want)
	}
}
