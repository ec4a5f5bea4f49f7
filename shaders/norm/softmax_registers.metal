// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]); computed in float, rounded once. Threads keep their part of a row in registers:
// the powers are relative to the largest element of each thread first, and of the row when all have met.

#include "common.h"
#include "params/norm.h"
#include "softmax_kept.h"

struct Scale {
    float by;

    template <typename K>
    void finish(thread K &row, uint i) const {
        for (uint f = 0; f < AHEAD * K::FOURS; f++)
            if (i * K::FOURS + f < uint(kept) * K::FOURS) row.v[i * K::FOURS + f] *= by;
    }
};

template <typename T, bool WHOLE>
static inline void normalize(device const T *x, device T *out, constant SoftmaxParams &p, threadgroup float2 *partial,
                             uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    const size_t first = size_t(min(row, p.rows - 1)) * p.cols; // all threads reach the barrier
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, -INFINITY);
    float largest = 0.0f;
    const float2 found = to_powers(mine, largest, partial, local, size, lane);
    if (row >= p.rows) return;
    const Scale scale = {exp(largest - found.x) / found.y};
    mine.store(out + first, scale);
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
    if (is_whole<T>(p.cols)) normalize<T, true>(x, out, p, partial, group, local, size, lane);
    else normalize<T, false>(x, out, p, partial, group, local, size, lane);
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
