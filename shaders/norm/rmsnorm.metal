// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place; computed in float, rounded once.
//
// A threadgroup of threads × rows takes as many rows. A row's threads add their squares, then the SIMD groups' sums by
// way of threadgroup memory. Each thread writes the elements that it alone reads.

#include "common.h"
#include "params/norm.h"

constant constexpr uint SIMD = 32;

template <typename T>
kernel void rmsnorm(device T *x [[buffer(0)]],
                    device const T *weight [[buffer(1)]],
                    constant RMSNormParams &p [[buffer(2)]],
                    threadgroup float *partial [[threadgroup(0)]],
                    uint2 group [[threadgroup_position_in_grid]],
                    uint2 local [[thread_position_in_threadgroup]],
                    uint2 size [[threads_per_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y, simds = size.x / SIMD;
    const bool inside = row < p.rows; // all threads reach the barrier
    device T *at = x + size_t(inside ? row : 0) * p.cols;
    float sum = 0.0f;
    if (inside) {
        for (uint c = local.x; c < p.cols; c += size.x) sum = fma(float(at[c]), float(at[c]), sum);
    }
    sum = simd_sum(sum);
    if (lane == 0) partial[local.y * simds + local.x / SIMD] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (!inside) return;
    sum = 0.0f;
    for (uint i = 0; i < simds; i++) sum += partial[local.y * simds + i];
    const float scale = 1.0f / sqrt(sum / float(p.cols) + p.eps);
    for (uint c = local.x; c < p.cols; c += size.x) at[c] = T(float(at[c]) * scale * float(weight[c]));
}

template [[host_name("rmsnorm_f32")]] kernel void rmsnorm<float>(
    device float *, device const float *, constant RMSNormParams &, threadgroup float *, uint2, uint2, uint2, uint);
template [[host_name("rmsnorm_f16")]] kernel void rmsnorm<half>(
    device half *, device const half *, constant RMSNormParams &, threadgroup float *, uint2, uint2, uint2, uint);
#if __METAL_VERSION__ >= 310
template [[host_name("rmsnorm_bf16")]] kernel void rmsnorm<bfloat>(
    device bfloat *, device const bfloat *, constant RMSNormParams &, threadgroup float *, uint2, uint2, uint2, uint);
#endif
