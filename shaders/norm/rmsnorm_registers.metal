// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place; computed in float, rounded once. Threads keep their part of a
// row in registers.

#include "common.h"
#include "params/norm.h"
#include "kept.h"

struct Squares {
    float found;

    void take(float4 v, uint) { found += dot(v, v); }
};

template <typename T>
struct Scaled {
    device const T *weight;
    float scale;
    uint n;

    void finish(thread float4 *v, uint at) const {
        float4 w[Wide<T>::FOURS];
        Kept<T>::load16(weight, n, at, w, 0.0f);
        for (uint f = 0; f < Wide<T>::FOURS; f++) v[f] *= scale * w[f];
    }
};

template <typename T>
kernel void rmsnorm_registers(device T *x [[buffer(0)]],
                              device const T *weight [[buffer(1)]],
                              constant RMSNormParams &p [[buffer(2)]],
                              threadgroup float *partial [[threadgroup(0)]],
                              uint2 group [[threadgroup_position_in_grid]],
                              uint2 local [[thread_position_in_threadgroup]],
                              uint2 size [[threads_per_threadgroup]],
                              uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads reach the barriers
    device T *at = x + size_t(inside ? row : 0) * p.cols;
    Kept<T> mine;
    mine.load(at, inside ? p.cols : 0, local.x, size.x, 0.0f);
    Squares squares = {0.0f};
    mine.each(local.x, size.x, squares);
    const float sum = row_sum(squares.found, partial, local, size, lane);
    if (!inside) return;
    const Scaled<T> scaled = {weight, 1.0f / sqrt(sum / float(p.cols) + p.eps), p.cols};
    mine.store(at, p.cols, local.x, size.x, scaled);
}

#define INSTANTIATE(name, type)                                                                            \
    template [[host_name(name)]] kernel void rmsnorm_registers<type>(                                      \
        device type *, device const type *, constant RMSNormParams &, threadgroup float *, uint2, uint2, \
        uint2, uint);

INSTANTIATE("rmsnorm_registers_f32", float)
INSTANTIATE("rmsnorm_registers_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("rmsnorm_registers_bf16", bfloat)
#endif
