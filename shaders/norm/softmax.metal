// out[r,c] = exp(x[r,c]) / the sum of exp(x[r,·]); computed in float, rounded once.
//
// A threadgroup of threads × rows takes that many rows of x. The one-pass form finds the largest element and the sum of
// exponentials relative to it, which is rescaled as the largest grows; the two-pass form finds the largest first. One more pass
// writes. SIMD groups combine their results in threadgroup memory.

#include "common.h"
#include "rows.h"

constant constexpr float LOWEST = -numeric_limits<float>::max(); // not −∞, because −∞ − (−∞) is NaN

// The largest element, and the sum of exponentials relative to it.
template <typename T>
struct Online {
    device const T *at;
    float largest, sum;

    void take(uint i) {
        const float e = float(at[i]), power = exp(-fabs(e - largest));
        sum = e > largest ? fma(sum, power, 1.0f) : sum + power;
        largest = e > largest ? e : largest;
    }

    void take4(uint i) {
        const float4 e = four(at, i);
        const float top = max(max(e.x, e.y), max(e.z, e.w)), above = top > largest ? top : largest;
        sum = fma(sum, exp(largest - above), dot(exp(e - above), float4(1.0f)));
        largest = above;
    }
};

template <typename T>
struct Largest {
    device const T *at;
    float largest;

    void take(uint i) { largest = max(largest, float(at[i])); }

    void take4(uint i) {
        const float4 e = four(at, i);
        largest = max(largest, max(max(e.x, e.y), max(e.z, e.w)));
    }
};

template <typename T>
struct Powers {
    device const T *at;
    float largest, sum;

    void take(uint i) { sum += exp(float(at[i]) - largest); }

    void take4(uint i) { sum += dot(exp(four(at, i) - largest), float4(1.0f)); }
};

template <typename T>
struct Shares {
    device const T *at;
    device T *out;
    float largest, scale;

    void take(uint i) { out[i] = T(exp(float(at[i]) - largest) * scale); }

    void take4(uint i) { put4(out, i, exp(four(at, i) - largest) * scale); }
};

// Combines what a row's threads found, the largest element and the sum of exponentials relative to it, into those of the row.
static inline float2 row_softmax(float2 part, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    const uint simds = size.x / SIMD;
    threadgroup float2 *mine = partial + local.y * simds;
    float top = simd_max(part.x);
    const float sum = simd_sum(part.y * exp(part.x - top));
    if (lane == 0) mine[local.x / SIMD] = float2(top, sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const float2 group = lane < simds ? mine[lane] : float2(LOWEST, 0.0f);
    top = simd_max(group.x);
    return float2(top, simd_sum(group.y * exp(group.x - top)));
}

template <typename T, bool TWICE>
kernel void softmax(device const T *x [[buffer(0)]],
                    device T *out [[buffer(1)]],
                    constant SoftmaxParams &p [[buffer(2)]],
                    threadgroup float2 *partial [[threadgroup(0)]],
                    uint2 group [[threadgroup_position_in_grid]],
                    uint2 local [[thread_position_in_threadgroup]],
                    uint2 size [[threads_per_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads must reach the barriers
    const size_t first = size_t(inside ? row : 0) * p.cols;
    float2 found = float2(LOWEST, 0.0f);
    if (TWICE) {
        Largest<T> top = {x + first, LOWEST};
        if (inside) each(top, p.cols, local.x, size.x);
        Powers<T> powers = {x + first, row_softmax(float2(top.largest, 0.0f), partial, local, size, lane).x, 0.0f};
        if (inside) each(powers, p.cols, local.x, size.x);
        found = float2(powers.largest, powers.sum);
        threadgroup_barrier(mem_flags::mem_threadgroup); // all have read before the next sums are written
    } else if (inside) {
        Online<T> online = {x + first, LOWEST, 0.0f};
        each(online, p.cols, local.x, size.x);
        found = float2(online.largest, online.sum);
    }
    found = row_softmax(found, partial, local, size, lane);
    if (!inside) return;
    Shares<T> shares = {x + first, out + first, found.x, 1.0f / found.y};
    each(shares, p.cols, local.x, size.x);
}

#define INSTANTIATE(name, type, twice)                                                                    \
    template [[host_name(name)]] kernel void softmax<type, twice>(                                        \
        device const type *, device type *, constant SoftmaxParams &, threadgroup float2 *, uint2, uint2, \
        uint2, uint);

INSTANTIATE("softmax_f32", float, false)
INSTANTIATE("softmax_f16", half, false)
INSTANTIATE("softmax_twopass_f32", float, true)
INSTANTIATE("softmax_twopass_f16", half, true)
#if __METAL_VERSION__ >= 310
INSTANTIATE("softmax_bf16", bfloat, false)
INSTANTIATE("softmax_twopass_bf16", bfloat, true)
#endif
