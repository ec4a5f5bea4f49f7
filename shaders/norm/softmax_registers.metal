// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]); computed in float, rounded once. Threads keep their part of a row in registers:
// the powers are relative to the largest element of each thread first, and of the row when all have met.

#include "common.h"
#include "params/norm.h"
#include "kept.h"

constant constexpr float LOWEST = -numeric_limits<float>::max(); // −∞ would be NaN in differences

struct Largest {
    float found;

    void take(float4 v, uint) { found = max(found, max(max(v.x, v.y), max(v.z, v.w))); }
};

// The powers relative to the largest take the elements' place.
struct Powers {
    float largest, sum;

    void take(thread float4 &v, uint) {
        v = exp(v - largest);
        sum += (v.x + v.y) + (v.z + v.w);
    }
};

template <typename T>
struct Scale {
    float by;

    void finish(thread float4 *v, uint) const {
        for (uint f = 0; f < Wide<T>::FOURS; f++) v[f] *= by;
    }
};

// The largest of a row's elements, and the sum of all powers relative to it, from what each of its threads found.
static inline float2 joined(float2 part, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    const uint simds = size.x / SIMD;
    float top = simd_max(part.x);
    float sum = simd_sum(part.y * exp(part.x - top));
    if (simds == 1) return float2(top, sum);
    threadgroup float2 *mine = partial + local.y * simds;
    if (lane == 0) mine[local.x / SIMD] = float2(top, sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float2 group = lane < simds ? mine[lane] : float2(LOWEST, 0.0f);
    top = simd_max(group.x);
    return float2(top, simd_sum(group.y * exp(group.x - top)));
}

template <typename T>
kernel void softmax_registers(device const T *x [[buffer(0)]],
                              device T *out [[buffer(1)]],
                              constant SoftmaxParams &p [[buffer(2)]],
                              threadgroup float2 *partial [[threadgroup(0)]],
                              uint2 group [[threadgroup_position_in_grid]],
                              uint2 local [[thread_position_in_threadgroup]],
                              uint2 size [[threads_per_threadgroup]],
                              uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads reach the barrier
    const size_t first = size_t(inside ? row : 0) * p.cols;
    Kept<T> mine;
    mine.load(x + first, inside ? p.cols : 0, local.x, size.x, -INFINITY);
    Largest top = {LOWEST};
    mine.each(local.x, size.x, top);
    Powers powers = {top.found, 0.0f};
    mine.each(local.x, size.x, powers);
    const float2 found = joined(float2(powers.largest, powers.sum), partial, local, size, lane);
    if (!inside) return;
    const Scale<T> scale = {exp(powers.largest - found.x) / found.y};
    mine.store(out + first, p.cols, local.x, size.x, scale);
}

#define INSTANTIATE(name, type)                                                                           \
    template [[host_name(name)]] kernel void softmax_registers<type>(                                     \
        device const type *, device type *, constant SoftmaxParams &, threadgroup float2 *, uint2, uint2, \
        uint2, uint);

INSTANTIATE("softmax_registers_f32", float)
INSTANTIATE("softmax_registers_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("softmax_registers_bf16", bfloat)
#endif
