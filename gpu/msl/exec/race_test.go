package exec

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"assay/gpu/msl/clang"
)

// lostBarriers are kernels of four SIMD groups that need the barrier, which the constant removes.
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

// SIMD functions keep lanes together, but not SIMD groups: one of them may be far ahead of the others if no barrier stops it.
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
			launch := line(128, make([]byte, 4*128))
			launch.Groups[0], launch.Workers = 3, 1 // a group must not see what the previous one left
			err := open(t, l, "k", values).Race(t.Context(), launch, 4)
			var f *Fault
			if found := errors.As(err, &f) && strings.Contains(f.Message, "data race"); found == kept || kept && err != nil {
				t.Errorf("%s, barrier kept: %v: %v", name, kept, err)
			}
		}
	}
}

// A SIMD group that waits for another one in a loop of SIMD functions lets that one continue.
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

// A race is reported at the lines of two accesses that race.
func TestRacesHaveLines(t *testing.T) {
	const head = "kernel void k(device uint *out [[buffer(0)]], device atomic_uint *a [[buffer(1)]], uint i [[thread_index_in_threadgroup]],\n\tuint g [[threadgroup_position_in_grid]]) {\n"
	for name, c := range map[string]struct {
		body        string
		line, other int // of the body; 0: only the kernel
		want        string
	}{
		"a missing barrier": {"threadgroup uint s[128];\ns[i] = i * g;\nout[i + 128 * g] = s[127 - i];", 3, 2, "of threadgroup variable s, which thread "},
		"one address":       {"out[0] = i;", 1, 1, "which thread 0 writes here too, with no barrier between"},
		"between groups":    {"if (i == 0) out[1] = g;\nthreadgroup_barrier(mem_flags::mem_device);\nif (i == 1) out[2 + g] = out[1];", 3, 1, "nothing orders threadgroups"},
		"atomics' order":    {"uint at = atomic_fetch_add_explicit(a, 1, memory_order_relaxed);\nout[at] = i + 128 * g;", 0, 0, "depends on the order of threads"},
		"a benign flag":     {"threadgroup uint s[128];\nthreadgroup uint flag;\nflag = 1;\ns[i] = i * g;\nout[i + 128 * g] = s[127 - i] + flag;", 5, 4, "variable s"},
		"mixed with atomics": {
			"if (i != 5) atomic_fetch_add_explicit(a, 1, memory_order_relaxed);\nif (i == 5) ((device uint *)a)[0] = g;", 2, 1, "buffer 1 (a)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := head + c.body + "\n}\n"
			launch := func() Launch {
				l := line(128, make([]byte, 4*1024))
				l.Groups[0], l.Buffers[1] = 4, make([]byte, 4)
				return l
			}
			err := open(t, compile(t, text, clang.Options{}), "k", nil).Race(t.Context(), launch(), 4)
			var f *Fault
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
			f, err = open(t, compile(t, text, clang.Options{Checked: true}), "k", nil).Witness(t.Context(), launch(), f)
			if err != nil {
				t.Fatal(err)
			}
			const first = 4 // lines before the body, including those that compile adds
			line, other := f.Line-first, f.Line-first
			if f.Other != nil {
				other = f.Other.Line - first
			}
			if c.line == 0 {
				line, other = f.Line, f.Line
			}
			if line != c.line || other != c.other || !strings.Contains(f.Message, c.want) {
				t.Errorf("%v; other %+v", f, f.Other)
			}
		})
	}
}
