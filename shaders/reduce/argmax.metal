// The index of the largest of each of `parts` slices of candidates: all elements of x or, in the second of two passes
// (`indexed`), those at given indices modulo the number of elements of x. Of equal elements, the first one wins. One threadgroup
// per slice; its threads take elements of x four at a time. As in reduce.metal, the plain form combines threads with SIMD
// functions, and the tree form in threadgroup memory.

#include "common.h"
#include "slices.h"

constant bool indexed [[function_constant(ARGMAX_INDEXED)]];

struct Candidate {
    float value;
    uint index;
};

static inline Candidate none() { return {-INFINITY, NO_INDEX}; }

static inline Candidate larger(Candidate a, Candidate b) {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

// The best of a SIMD group, in all of its lanes.
static inline Candidate of_simd(Candidate c) {
    const float value = simd_max(c.value);
    return {value, simd_min(c.value == value ? c.index : NO_INDEX)};
}

// The best of `best` and of the four later elements from index `at` on.
static inline Candidate of_four(Candidate best, float4 v, uint at) {
    for (uint e = 0; e < 4; e++) {
        if (v[e] > best.value) best = {v[e], at + e};
    }
    return best;
}

// The best of one thread's part of a slice of x.
template <typename T>
static inline Candidate of_elements(device const T *x, Slice s, uint local, uint threads) {
    const size_t whole = s.first + (s.last - s.first) / 4 * 4, step = 4 * size_t(threads);
    size_t i = s.first + 4 * size_t(local);
    Candidate best = {-INFINITY, i < whole ? uint(i) : NO_INDEX}; // the first of its elements, if all are −∞
    for (; i + (Ahead<T>::VECTORS - 1) * step < whole; i += Ahead<T>::VECTORS * step) {
        float4 v[Ahead<T>::VECTORS];
        for (uint a = 0; a < Ahead<T>::VECTORS; a++) v[a] = float4(*(device const vec<T, 4> *)(x + i + a * step));
        for (uint a = 0; a < Ahead<T>::VECTORS; a++) best = of_four(best, v[a], uint(i + a * step));
    }
    for (; i < whole; i += step) best = of_four(best, float4(*(device const vec<T, 4> *)(x + i)), uint(i));
    for (i = whole + local; i < s.last; i += threads) best = larger(best, {float(x[i]), uint(i)});
    return best;
}

template <typename T>
static inline Candidate of_indices(device const T *x, device const uint *indices, uint source, Slice s, uint local, uint threads) {
    Candidate best = none();
    for (size_t i = s.first + local; i < s.last; i += threads) {
        const uint at = indices[i] % source;
        best = larger(best, {float(x[at]), at});
    }
    return best;
}

// The best of a threadgroup, in its first SIMD group, by SIMD functions.
static inline Candidate of_group(Candidate best, threadgroup Candidate *partial, uint local, uint lane, uint threads) {
    best = of_simd(best);
    if (lane == 0) partial[local / SIMD] = best;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    Candidate group = none();
    if (lane < threads / SIMD) group = partial[lane];
    return of_simd(group);
}

// The best of a threadgroup, in all of its threads, by a tree in threadgroup memory, where each thread has one candidate: in
// every step, half of the threads that are left merge in the candidates of the other half.
static inline Candidate of_tree(Candidate best, threadgroup Candidate *partial, uint local, uint threads) {
    partial[local] = best;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_way = threads / 2; half_way > 0; half_way /= 2) {
        if (local < half_way) partial[local] = larger(partial[local], partial[local + half_way]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    return partial[0];
}

template <typename T, bool TREE>
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
    Candidate best;
    if (indexed) best = of_indices(x, indices, p.source, s, local, threads);
    else best = of_elements(x, s, local, threads);
    if (TREE) best = of_tree(best, partial, local, threads);
    else best = of_group(best, partial, local, lane, threads);
    if (local == 0) out[index] = best.index;
}

#define INSTANTIATE(name, type, tree)                                                                                    \
    template [[host_name(name)]] kernel void argmax<type, tree>(                                                         \
        device const type *, device const uint *, device uint *, constant ArgmaxParams &, threadgroup Candidate *, uint, \
        uint, uint, uint);

INSTANTIATE("argmax_f32", float, false)
INSTANTIATE("argmax_f16", half, false)
INSTANTIATE("argmax_tree_f32", float, true)
INSTANTIATE("argmax_tree_f16", half, true)
