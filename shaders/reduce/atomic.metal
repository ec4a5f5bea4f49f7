// out[0] += the sum of x, or out[0] = the larger of itself and the largest of x. A threadgroup reduces one of `parts` slices of x
// with SIMD functions as in reduce.metal, and combines its result with the one output by an atomic.
//
// There is no atomic maximum of floats, but there are atomic minima and maxima of integers. The bits of positive floats, as
// signed integers, are in the order of the floats and above those of all negative ones; the bits of negative floats, as unsigned
// integers, are in reverse order and above those of all positive ones.
//
// An index and its value do not fit into one 32-bit atomic. Argmax therefore takes a second pass, find_into: out[0] = the smaller
// of itself and the first index at which x is top[0]. There each SIMD group that finds such an index does the atomic itself.

#include "common.h"
#include "slices.h"

template <typename T>
kernel void sum_into(device const T *x [[buffer(0)]],
                     device atomic_float *out [[buffer(1)]],
                     constant ReduceParams &p [[buffer(2)]],
                     threadgroup float *partial [[threadgroup(0)]],
                     uint index [[threadgroup_position_in_grid]],
                     uint local [[thread_position_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]]) {
    float v = of_thread<T, Sum>(x, slice_of(index, p.n, p.parts), local, threads);
    v = of_group<Sum>(v, partial, local, lane, threads);
    if (local == 0) atomic_fetch_add_explicit(&out[0], v, memory_order_relaxed);
}

template [[host_name("sum_into_f32")]] kernel void sum_into<float>(
    device const float *, device atomic_float *, constant ReduceParams &, threadgroup float *, uint, uint, uint, uint);
template [[host_name("sum_into_f16")]] kernel void sum_into<half>(
    device const half *, device atomic_float *, constant ReduceParams &, threadgroup float *, uint, uint, uint, uint);

template <typename T>
kernel void max_into(device const T *x [[buffer(0)]],
                     device float *out [[buffer(1)]],
                     constant ReduceParams &p [[buffer(2)]],
                     threadgroup float *partial [[threadgroup(0)]],
                     uint index [[threadgroup_position_in_grid]],
                     uint local [[thread_position_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]]) {
    float v = of_thread<T, Largest>(x, slice_of(index, p.n, p.parts), local, threads);
    v = of_group<Largest>(v, partial, local, lane, threads);
    if (local != 0) return;
    const int bits = as_type<int>(v);
    if (bits >= 0) atomic_fetch_max_explicit((device atomic_int *)out, bits, memory_order_relaxed);
    else atomic_fetch_min_explicit((device atomic_uint *)out, uint(bits), memory_order_relaxed);
}

template [[host_name("max_into_f32")]] kernel void max_into<float>(
    device const float *, device float *, constant ReduceParams &, threadgroup float *, uint, uint, uint, uint);
template [[host_name("max_into_f16")]] kernel void max_into<half>(
    device const half *, device float *, constant ReduceParams &, threadgroup float *, uint, uint, uint, uint);

// The first of four elements, with indices from `at` on, that equals `value`. All four are compared, because leaving at the first
// match would put branches between a thread's loads.
static inline uint first_of_four(float4 v, float value, uint at) {
    const uint x = v.x == value ? at : NO_INDEX, y = v.y == value ? at + 1 : NO_INDEX;
    const uint z = v.z == value ? at + 2 : NO_INDEX, w = v.w == value ? at + 3 : NO_INDEX;
    return min(min(x, y), min(z, w));
}

// The first of a thread's elements that equals `value`.
template <typename T>
static inline uint first_equal(device const T *x, Slice s, float value, uint local, uint threads) {
    const size_t whole = s.first + (s.last - s.first) / 4 * 4, step = 4 * size_t(threads);
    size_t i = s.first + 4 * size_t(local);
    uint found = NO_INDEX;
    for (; i + (Ahead<T>::VECTORS - 1) * step < whole; i += Ahead<T>::VECTORS * step) {
        float4 v[Ahead<T>::VECTORS];
        for (uint a = 0; a < Ahead<T>::VECTORS; a++) v[a] = float4(*(device const vec<T, 4> *)(x + i + a * step));
        for (uint a = 0; a < Ahead<T>::VECTORS; a++) found = min(found, first_of_four(v[a], value, uint(i + a * step)));
    }
    for (; i < whole; i += step) found = min(found, first_of_four(float4(*(device const vec<T, 4> *)(x + i)), value, uint(i)));
    for (i = whole + local; i < s.last; i += threads) found = min(found, float(x[i]) == value ? uint(i) : NO_INDEX);
    return found;
}

template <typename T>
kernel void find_into(device const T *x [[buffer(0)]],
                      device const float *top [[buffer(1)]],
                      device uint *out [[buffer(2)]],
                      constant ReduceParams &p [[buffer(3)]],
                      uint index [[threadgroup_position_in_grid]],
                      uint local [[thread_position_in_threadgroup]],
                      uint threads [[threads_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
    const uint found = simd_min(first_equal(x, slice_of(index, p.n, p.parts), top[0], local, threads));
    if (lane == 0 && found != NO_INDEX) atomic_fetch_min_explicit((device atomic_uint *)out, found, memory_order_relaxed);
}

template [[host_name("find_into_f32")]] kernel void find_into<float>(
    device const float *, device const float *, device uint *, constant ReduceParams &, uint, uint, uint, uint);
template [[host_name("find_into_f16")]] kernel void find_into<half>(
    device const half *, device const float *, device uint *, constant ReduceParams &, uint, uint, uint, uint);
