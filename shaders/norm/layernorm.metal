// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]; computed in float, rounded once.
//
// A threadgroup of threads × rows takes that many rows of x. The one-pass form sums each element's distance from the row's first
// one, and its square, from which mean and variance follow. The two-pass form sums the elements first, then the distances from
// their mean and the squares of these.

#include "common.h"
#include "layernorm.h"

template <typename T, bool TWICE>
kernel void layernorm(device const T *x [[buffer(0)]],
                      device const T *weight [[buffer(1)]],
                      device const T *bias [[buffer(2)]],
                      device T *out [[buffer(3)]],
                      constant LayerNormParams &p [[buffer(4)]],
                      threadgroup float2 *partial [[threadgroup(0)]],
                      uint2 group [[threadgroup_position_in_grid]],
                      uint2 local [[thread_position_in_threadgroup]],
                      uint2 size [[threads_per_threadgroup]],
                      uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads must reach the barriers
    const size_t first = size_t(inside ? row : 0) * p.cols;
    const float n = float(p.cols);
    Moments<T> moments = {x + first, 0.0f, 0.0f};
    if (TWICE) {
        if (inside) each(moments, p.cols, local.x, size.x);
        moments.shift = row_sum(moments.sum, partial, local, size, lane).x / n;
        moments.sum = 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read before the next sums are written
    } else if (inside && p.cols > 0) {
        moments.shift = float(x[first]);
    }
    if (inside) each(moments, p.cols, local.x, size.x);
    const float2 mean = row_sum(moments.sum, partial, local, size, lane) / n; // of the distances, and of their squares
    if (!inside) return;
    Normalized<T> rest = normalized(x + first, weight, bias, out + first, moments.shift, mean, p.eps);
    each(rest, p.cols, local.x, size.x);
}

#define INSTANTIATE(name, type, twice)                                                                                  \
    template [[host_name(name)]] kernel void layernorm<type, twice>(                                                    \
        device const type *, device const type *, device const type *, device type *, constant LayerNormParams &,       \
        threadgroup float2 *, uint2, uint2, uint2, uint);

INSTANTIATE("layernorm_f32", float, false)
INSTANTIATE("layernorm_f16", half, false)
INSTANTIATE("layernorm_twopass_f32", float, true)
INSTANTIATE("layernorm_twopass_f16", half, true)
#if __METAL_VERSION__ >= 310
INSTANTIATE("layernorm_bf16", bfloat, false)
INSTANTIATE("layernorm_twopass_bf16", bfloat, true)
#endif
