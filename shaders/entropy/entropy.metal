// The entropy of the bytes around every stride-th byte, in bits per byte divided by 8. A window has up to 256 bytes and begins
// 128 before its center; at the ends of the array it is shorter. In `entropy` each thread counts the bytes of its own window; in
// `entropy_shared` a threadgroup counts those of one window together, in threadgroup memory.

#include "common.h"
#include "entropy.h"

[[host_name("entropy_int8")]] kernel void entropy(device const uchar *x [[buffer(0)]],
                                                  device float *out [[buffer(1)]],
                                                  constant EntropyParams &p [[buffer(2)]],
                                                  uint id [[thread_position_in_grid]]) {
    if (id >= ENTROPY_WINDOWS(p.n, p.stride)) return;
    const Window w = window_of(id, p);
    ushort counts[CODES] = {};
    for (uint i = w.first; i < w.last; i++) counts[x[i]]++;
    float sum = 0.0f;
    for (uint c = 0; c < CODES; c++) sum += term(counts[c]);
    out[id] = entropy_of(sum, w);
}

[[host_name("entropy_shared_int8")]] kernel void entropy_shared(device const uchar *x [[buffer(0)]],
                                                                device float *out [[buffer(1)]],
                                                                constant EntropyParams &p [[buffer(2)]],
                                                                threadgroup atomic_uint *counts [[threadgroup(0)]],
                                                                threadgroup float *partial [[threadgroup(1)]],
                                                                uint index [[threadgroup_position_in_grid]],
                                                                uint local [[thread_position_in_threadgroup]],
                                                                uint threads [[threads_per_threadgroup]],
                                                                uint lane [[thread_index_in_simdgroup]]) {
    const Window w = window_of(index, p);
    for (uint c = local; c < CODES; c += threads) atomic_store_explicit(&counts[c], 0, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = w.first + local; i < w.last; i += threads)
        atomic_fetch_add_explicit(&counts[x[i]], 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float sum = 0.0f;
    for (uint c = local; c < CODES; c += threads) sum += term(atomic_load_explicit(&counts[c], memory_order_relaxed));
    sum = simd_sum(sum);
    if (lane == 0) partial[local / SIMD] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum = simd_sum(lane < threads / SIMD ? partial[lane] : 0.0f);
    if (local == 0) out[index] = entropy_of(sum, w);
}
