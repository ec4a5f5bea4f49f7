// out[r,c] = (x[r,c] − mean of x[r,·]) / √(variance of x[r,·] + eps) · weight[c] + bias[c]; computed in float, rounded once. Threads
// keep their part of a row in registers. Each SIMD group finds the mean of its elements and their squared distances from it;
// those of the row follow from what all SIMD groups found, which meet at one barrier.

#include "common.h"
#include "params/norm.h"
#include "kept.h"

struct Sum {
    float found;

    template <typename K>
    void take(thread const K &, float4 v, uint, uint) { found += (v.x + v.y) + (v.z + v.w); }
};

// The distances from a mean take the elements' place.
struct Distances {
    float mean, squares;

    template <typename K>
    void take(thread const K &row, thread float4 &v, uint at, uint e) {
        v -= mean;
        float4 d = v;
        for (uint i = 0; i < 4; i++)
            if (!K::ALL && !row.inside(at, e + i)) d[i] = 0.0f;
        const float more = fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, fma(d.w, d.w, squares))));
        squares = !K::ALL || row.inside(at, e) ? more : squares;
    }
};

// The mean of a row, and the sum of the squared distances from it, of what its SIMD groups found of theirs.
template <typename K>
static inline float2 joined(thread const K &row, float2 found, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    if (size.x == SIMD) return found;
    const float2 group = of_simds(found, partial, local, size, lane);
    const float count = lane < size.x / SIMD ? row.count(lane) : 0.0f;
    const float mean = fast::divide(simd_sum(count * group.x), float(row.n)), away = group.x - mean;
    return float2(mean, simd_sum(fma(count * away, away, group.y)));
}

// The elements are distances from the mean of the SIMD group.
template <typename T>
struct Normalized {
    device const T *weight, *bias;
    float scale, shift;

    template <typename K>
    void finish(thread K &row, uint i) const {
        float4 w[AHEAD * K::FOURS], b[AHEAD * K::FOURS];
        row.weights(weight, i, w);
        row.weights(bias, i, b);
        for (uint f = 0; f < AHEAD * K::FOURS; f++)
            if (i * K::FOURS + f < uint(kept) * K::FOURS)
                row.v[i * K::FOURS + f] = fma(fma(row.v[i * K::FOURS + f], float4(scale), float4(shift)), w[f], b[f]);
    }
};

template <typename T, bool WHOLE>
static inline void normalize(device const T *x, device const T *weight, device const T *bias, device T *out,
                             constant LayerNormParams &p, threadgroup float2 *partial, uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    const size_t first = size_t(min(row, p.rows - 1)) * p.cols; // all threads reach the barrier
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, 0.0f);
    Sum sum = {0.0f};
    mine.each(sum);
    const float mean = fast::divide(simd_sum(sum.found), max(mine.count(local.x / SIMD), 1.0f));
    Distances distances = {mean, 0.0f};
    mine.each(distances);
    const float2 all = joined(mine, float2(mean, simd_sum(distances.squares)), partial, local, size, lane);
    if (row >= p.rows) return;
    const float scale = rsqrt(fast::divide(all.y, float(p.cols)) + p.eps);
    const Normalized<T> rest = {weight, bias, scale, (mean - all.x) * scale};
    mine.store(out + first, rest);
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
