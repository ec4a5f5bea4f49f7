// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]; computed in float, rounded once.
//
// Threads keep their part of a row in registers. Each SIMD group computes the mean of its elements and their squared distances
// from it; the statistics of the row follow from those of its SIMD groups, which need only one barrier.

#include "common.h"
#include "params/norm.h"
#include "layernorm_kept.h"

template <typename T, bool WHOLE>
static inline void normalize(device const T *x, device const T *weight, device const T *bias, device T *out,
                             constant LayerNormParams &p, threadgroup float2 *partial, uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    const size_t first = size_t(min(row, p.rows - 1)) * p.cols; // clamped: all threads must reach the barrier
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, 0.0f);
    normalize_kept(mine, weight, bias, out + first, p.eps, row < p.rows, partial, local, size, lane);
}

template <typename T>
kernel void layernorm_registers(device const T *x [[buffer(0)]],
                                device const T *weight [[buffer(1)]],
                                device const T *bias [[buffer(2)]],
                                device T *out [[buffer(3)]],
                                constant LayerNormParams &p [[buffer(4)]],
                                threadgroup float2 *partial [[threadgroup(0)]],
                                uint2 group [[threadgroup_position_in_grid]],
                                uint2 local [[thread_position_in_threadgroup]],
                                uint2 size [[threads_per_threadgroup]],
                                uint lane [[thread_index_in_simdgroup]]) {
    if (is_whole<T>(p.cols)) normalize<T, true>(x, weight, bias, out, p, partial, group, local, size, lane);
    else normalize<T, false>(x, weight, bias, out, p, partial, group, local, size, lane);
}

#define INSTANTIATE(name, type)                                                                                   \
    template [[host_name(name)]] kernel void layernorm_registers<type>(                                           \
        device const type *, device const type *, device const type *, device type *, constant LayerNormParams &, \
        threadgroup float2 *, uint2, uint2, uint2, uint);

INSTANTIATE("layernorm_registers_f32", float)
INSTANTIATE("layernorm_registers_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("layernorm_registers_bf16", bfloat)
#endif
