package msl

import (
	"errors"
	"strings"
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

// The inner names of Apple's library that public kernels call.
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

func TestArraysOfBuffersAreRefused(t *testing.T) {
	_, err := compileText(t, "kernel void k(array<device float *, 4> x [[buffer(0)]]) { x[0][0] = 1; }")
	var c *CompileError
	if !errors.As(err, &c) || !strings.Contains(err.Error(), "test.metal:3:15: error: buffer argument x must be a pointer or reference") {
		t.Errorf("error %v, want one at the argument", err)
	}
}
