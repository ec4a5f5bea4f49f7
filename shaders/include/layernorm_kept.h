// Layer normalization of rows kept in registers; see kept.h.
#include "kept.h"

struct Sum {
    float found;

    template <typename K>
    void take(thread const K &, float4 v, uint, uint) { found += (v.x + v.y) + (v.z + v.w); }
};

// Replaces elements by their distances from the mean, and sums the squares of these.
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

// Combines what the SIMD groups of a row found, their means and sums of squared distances, into those of the row.
template <typename K>
static inline float2 joined(thread const K &row, float2 found, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    if (size.x == SIMD) return found;
    const float2 group = of_simds(found, partial, local, size, lane);
    const float count = lane < size.x / SIMD ? row.count(lane) : 0.0f;
    const float mean = fast::divide(simd_sum(count * group.x), float(row.n)), away = group.x - mean;
    return float2(mean, simd_sum(fma(count * away, away, group.y)));
}

// Normalizes elements that are distances from the mean of the SIMD group.
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

// For two-byte elements, or rows of any length: prefetches each vector of weights and biases before the previous one is used, and
// the first before the SIMD groups wait for each other.
template <typename T, bool WHOLE>
struct Scales {
    device const T *weight, *bias;
    uint4 w, b;

    void load(thread const Kept<T, WHOLE> &row, uint i) {
        if (!WHOLE || i >= uint(kept)) return;
        w = row.bits(weight, i);
        b = row.bits(bias, i);
    }

    // Returns the weights and biases of vector i, and prefetches the next.
    void take(thread const Kept<T, WHOLE> &row, uint i, thread float4 *scales, thread float4 *shifts) {
        if (WHOLE) {
            Wide<T>::widen(w, scales);
            Wide<T>::widen(b, shifts);
            load(row, i + 1);
        } else {
            row.take_each(weight, row.index(i), 0.0f, scales);
            row.take_each(bias, row.index(i), 0.0f, shifts);
        }
    }

    void store(thread Kept<T, WHOLE> &row, device T *out, float scale, float shift) {
        for (uint i = 0; i < MAX_KEPT; i++) {
            if (i >= uint(kept)) break;
            float4 scales[Wide<T>::FOURS], shifts[Wide<T>::FOURS];
            take(row, i, scales, shifts);
            for (uint f = 0; f < Wide<T>::FOURS; f++) {
                thread float4 &v = row.v[i * Wide<T>::FOURS + f];
                v = fma(fma(v, float4(scale), float4(shift)), scales[f], shifts[f]);
            }
            row.put(out, i);
        }
    }
};

// Stores the normalized row if it is `inside` the matrix. All threads of the threadgroup must call it.
template <typename T, bool WHOLE>
static inline void normalize_kept(thread Kept<T, WHOLE> &mine, device const T *weight, device const T *bias, device T *out, float eps,
                                  bool inside, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    Sum sum = {0.0f};
    mine.each(sum);
    const float mean = fast::divide(simd_sum(sum.found), max(mine.count(local.x / SIMD), 1.0f));
    Distances distances = {mean, 0.0f};
    mine.each(distances);
    Scales<T, WHOLE> scales = {weight, bias};
    const bool early = !WHOLE || sizeof(T) == 2; // with four-byte elements, the extra registers cost more than this saves
    if (early) scales.load(mine, 0);
    const float2 all = joined(mine, float2(mean, simd_sum(distances.squares)), partial, local, size, lane);
    if (!inside) return;
    const float scale = rsqrt(fast::divide(all.y, float(mine.n)) + eps);
    const Normalized<T> rest = {weight, bias, scale, (mean - all.x) * scale};
    mine.indices_after(scale);
    if (early) scales.store(mine, out, scale, (mean - all.x) * scale);
    else mine.store(out, rest);
}
