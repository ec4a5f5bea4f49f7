// The index of the largest of each of `parts` slices of candidates: all elements of x, or with `indexed` those that indices
// names modulo the elements of x, which is the second of two passes. Of equal elements it is the first.

#include "common.h"
#include "slices.h"

constant bool indexed [[function_constant(ARGMAX_INDEXED)]];

struct Candidate {
    float value;
    uint index;
};

static inline Candidate larger(Candidate a, Candidate b) {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

// The best of a SIMD group, in all of its threads.
static inline Candidate of_simd(Candidate c) {
    const float value = simd_max(c.value);
    return {value, simd_min(c.value == value ? c.index : 0xffffffffu)};
}

template <typename T>
kernel void argmax(device const T *x [[buffer(0)]],
                   device const uint *indices [[buffer(1), function_constant(indexed)]],
                   device uint *out [[buffer(2)]],
                   constant ArgmaxParams &p [[buffer(3)]],
                   threadgroup Candidate *partial [[threadgroup(0)]],
                   uint index [[threadgroup_position_in_grid]],
                   uint local [[thread_position_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]]) {
    const Slice s = slice_of(index, p.n, p.parts);
    const Candidate none = {-INFINITY, 0xffffffffu};
    Candidate best = none;
    for (size_t i = s.first + local; i < s.last; i += threads) {
        uint at = uint(i);
        if (indexed) at = indices[i] % p.source;
        best = larger(best, {float(x[at]), at});
    }
    best = of_simd(best);
    if (lane == 0) partial[local / SIMD] = best;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    Candidate group = none;
    if (lane < threads / SIMD) group = partial[lane];
    best = of_simd(group);
    if (local == 0) out[index] = best.index;
}

template [[host_name("argmax_f32")]] kernel void argmax<float>(
    device const float *, device const uint *, device uint *, constant ArgmaxParams &, threadgroup Candidate *, uint, uint,
    uint, uint);
template [[host_name("argmax_f16")]] kernel void argmax<half>(
    device const half *, device const uint *, device uint *, constant ArgmaxParams &, threadgroup Candidate *, uint, uint,
    uint, uint);
