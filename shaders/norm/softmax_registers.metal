// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]); computed in float, rounded once. Threads keep their part of a row in
// registers. Exponentials are relative to each thread's largest element first, and to the row's once the threads have combined
// theirs.

#include "common.h"
#include "params/norm.h"
#include "softmax_kept.h"
#include "stored.h"

constant constexpr float LOG2E = 1.44269504f;

struct Scale {
    float by;

    template <typename K>
    void finish(thread K &row, uint i) const {
        for (uint f = 0; f < AHEAD * K::FOURS; f++)
            if (i * K::FOURS + f < uint(kept) * K::FOURS) row.v[i * K::FOURS + f] *= by;
    }
};

// Exponentials divided by their sum, with the division folded into the exponent.
struct Parts {
    float largest, by; // −log₂ of the sum

    float4 of(float4 v) const {
        for (uint i = 0; i < 4; i++) v[i] = fast::exp2(fma(v[i] - largest, LOG2E, by));
        return v;
    }
};

template <typename T, bool WHOLE>
static inline void normalize(device const T *x, device T *out, constant SoftmaxParams &p, threadgroup float2 *partial,
                             uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    const size_t first = size_t(min(row, p.rows - 1)) * p.cols; // clamped: all threads must reach the barrier
    Kept<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, -INFINITY);
    float largest = 0.0f;
    const float2 found = to_powers(mine, largest, partial, local, size, lane);
    if (row >= p.rows) return;
    const Scale scale = {exp(largest - found.x) / found.y};
    mine.store(out + first, scale);
}

// Like normalize, for rows kept as they are stored, whose exponentials are recomputed rather than kept.
template <typename T, bool WHOLE>
static inline void normalize_stored(device const T *x, device T *out, constant SoftmaxParams &p, threadgroup float2 *partial,
                                    uint2 group, uint2 local, uint2 size, uint lane) {
    const uint row = group.x * size.y + local.y;
    const size_t first = size_t(min(row, p.rows - 1)) * p.cols;
    Stored<T, WHOLE> mine = {p.cols, local.x, size.x};
    mine.load(x + first, -INFINITY);
    Largest top = {LOWEST};
    mine.each(top);
    mine.again_after(top.found);
    Powers<T> powers = {top.found, 0.0f};
    mine.each(powers);
    const float2 found = joined(float2(powers.largest, powers.sum), partial, local, size, lane);
    if (row >= p.rows) return;
    mine.again_after(found.y);
    const Parts parts = {found.x, -log2(found.y)};
    mine.store(out + first, parts);
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
    const bool stored = sizeof(T) == 2 && kept > 1; // otherwise registers suffice
    if (is_whole<T>(p.cols)) {
        if (stored) normalize_stored<T, true>(x, out, p, partial, group, local, size, lane);
        else normalize<T, true>(x, out, p, partial, group, local, size, lane);
    } else if (stored) normalize_stored<T, false>(x, out, p, partial, group, local, size, lane);
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
