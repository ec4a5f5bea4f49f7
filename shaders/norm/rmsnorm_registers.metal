// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place; computed in float, rounded once. Threads keep their part of a
// row in registers.

#include "common.h"
#include "params/norm.h"
#include "kept.h"

struct Squares {
    float found;

    template <typename K>
    void take(thread const K &, float4 v, uint, uint) {
        found = fma(v.x, v.x, fma(v.y, v.y, fma(v.z, v.z, fma(v.w, v.w, found))));
    }
};

template <typename T>
struct Scaled {
    device const T *weight;
    float scale;

    template <typename K>
    void finish(thread K &row, uint i) const {
        float4 w[AHEAD * K::FOURS];
        row.weights(weight, i, w);
        for (uint f = 0; f < AHEAD * K::FOURS; f++)
            if (i * K::FOURS + f < uint(kept) * K::FOURS) row.v[i * K::FOURS + f] *= scale * w[f];
    }
};

template <typename T, bool WHOLE>
static inline void normalize(device T *x, device const T *weight, constant RMSNormParams &p, threadgroup float2 *partial,
                             uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    device T *at = x + size_t(min(row, p.rows - 1)) * p.cols; // clamped: all threads must reach the barrier
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(at, 0.0f);
    Squares squares = {0.0f};
    mine.each(squares);
    float sum = simd_sum(squares.found);
    if (size.x != SIMD) sum = simd_sum(of_simds(float2(sum), partial, local, size, lane).x);
    if (row >= p.rows) return;
    const Scaled<T> scaled = {weight, rsqrt(fast::divide(sum, float(p.cols)) + p.eps)};
    mine.store(at, scaled);
}

template <typename T>
kernel void rmsnorm_registers(device T *x [[buffer(0)]],
                              device const T *weight [[buffer(1)]],
                              constant RMSNormParams &p [[buffer(2)]],
                              threadgroup float2 *partial [[threadgroup(0)]],
                              uint2 group [[threadgroup_position_in_grid]],
                              uint2 local [[thread_position_in_threadgroup]],
                              uint2 size [[threads_per_threadgroup]],
                              uint lane [[thread_index_in_simdgroup]]) {
    if (is_whole<T>(p.cols)) normalize<T, true>(x, weight, p, partial, group, local, size, lane);
    else normalize<T, false>(x, weight, p, partial, group, local, size, lane);
}

#define INSTANTIATE(name, type)                                                                            \
    template [[host_name(name)]] kernel void rmsnorm_registers<type>(                                      \
        device type *, device const type *, constant RMSNormParams &, threadgroup float2 *, uint2, uint2, \
        uint2, uint);

INSTANTIATE("rmsnorm_registers_f32", float)
INSTANTIATE("rmsnorm_registers_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("rmsnorm_registers_bf16", bfloat)
#endif
