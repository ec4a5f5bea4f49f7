// out[0] += the sum of x, or out[0] = the larger of itself and the largest of x, in `parts` slices. A threadgroup reduces its
// slice by SIMD functions as in reduce.metal, and combines what it found with the one output. There is no atomic maximum of
// floats, but there are those of integers: the bits of positive floats, as signed integers, are in the order of the floats and
// above those of all negative ones; the bits of negative floats, as unsigned integers, are in reverse order and above those of
// all positive ones.

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
