// out[0] += the sum of x, in `parts` slices. A threadgroup sums its slice by SIMD functions as in reduce.metal, and adds what it
// found to the one output.

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
