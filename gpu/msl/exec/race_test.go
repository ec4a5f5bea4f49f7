package exec

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"assay/gpu/msl/clang"
)

// lostBarriers are kernels of four SIMD groups that need the barrier, which the constant takes away.
const lostBarriers = `
constant uint which [[function_constant(0)]];
constant bool kept [[function_constant(1)]];
static void barrier() { if (kept) threadgroup_barrier(mem_flags::mem_threadgroup); }

kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
	uint group [[simdgroup_index_in_threadgroup]]) {
	threadgroup uint shared[4];
	uint v = i, last = which == 2 ? 127 : 0;
	if (which == 0) {
		for (uint round = 0; round < 3; round++) {
			uint sum = simd_sum(v);
			if (lane == 0) shared[group] = sum;
			threadgroup_barrier(mem_flags::mem_threadgroup);
			v = simd_sum(lane < 4 ? shared[lane] + round : 0) % 1021;
			barrier();
		}
	} else if (which <= 2) {
		if (i == last) shared[0] = 7;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		v = simd_sum(shared[0]);
		barrier();
		if (i == last) shared[0] = v;
	} else {
		if (group == (which == 3 ? 3 : 0)) shared[0] = simd_max(v);
		barrier();
		v = simd_sum(shared[0]);
	}
	out[i] = v;
}`

// SIMD functions keep lanes together, not SIMD groups: one of them may be far ahead of the others where no barrier stops it.
func TestRaceModeBetweenSIMDGroups(t *testing.T) {
	l := compile(t, lostBarriers, clang.Options{})
	for which, name := range []string{
		"all write what all have read", "the first thread writes what all have read", "the last thread writes what all have read",
		"all read what the last SIMD group writes", "all read what the first SIMD group writes",
	} {
		for _, kept := range []bool{false, true} {
			values := map[int][]byte{0: binary.LittleEndian.AppendUint32(nil, uint32(which)), 1: {0}}
			if kept {
				values[1][0] = 1
			}
			err := open(t, l, "k", values).Race(t.Context(), line(128, make([]byte, 4*128)), 4)
			var f *Fault
			if found := errors.As(err, &f) && strings.Contains(f.Message, "data race"); found == kept || kept && err != nil {
				t.Errorf("%s, barrier kept: %v: %v", name, kept, err)
			}
		}
	}
}

// A SIMD group that waits for another one in a loop of SIMD functions lets that one go on.
func TestSIMDGroupsWaitForEachOther(t *testing.T) {
	k := entryPoint(t, `kernel void k(device uint *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
		threadgroup atomic_uint turn;
		if (i == 0) atomic_store_explicit(&turn, 0, memory_order_relaxed);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		uint mine = out[0] ? 3 - group : group;
		while (simd_broadcast(atomic_load_explicit(&turn, memory_order_relaxed), 0) != mine) {}
		if (simd_is_first()) { out[1 + mine] = group; atomic_store_explicit(&turn, mine + 1, memory_order_relaxed); }
	}`, false)
	for order := range 4 {
		for backward := range byte(2) {
			out := make([]byte, 4*5)
			out[0] = backward
			if err := k.run(t.Context(), line(128, out), order); err != nil {
				t.Fatal(err)
			}
			if got := uints(out); got[1] != 3*uint32(backward) || got[4] != 3-3*uint32(backward) {
				t.Errorf("order %d, backward %d: turns %d", order, backward, got[1:])
			}
		}
	}
}
