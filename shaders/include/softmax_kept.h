// Exponentials of rows kept in registers; see kept.h.
#include "kept.h"

constant constexpr float LOWEST = -numeric_limits<float>::max(); // not −∞, because −∞ − (−∞) is NaN

// e^x. Where the result is rounded to two bytes, its error may grow with x.
template <typename T>
static inline float power(float x) { return sizeof(T) == 2 ? fast::exp(x) : exp(x); }

struct Largest {
    float found;

    template <typename K>
    void take(thread const K &, float4 v, uint, uint) { found = max(found, max(max(v.x, v.y), max(v.z, v.w))); }
};

// Replaces elements by exponentials relative to the largest, and sums them.
template <typename T>
struct Powers {
    float largest, sum;

    template <typename K>
    void take(thread const K &, thread float4 &v, uint, uint) {
        for (uint i = 0; i < 4; i++) v[i] = power<T>(v[i] - largest);
        sum += (v.x + v.y) + (v.z + v.w);
    }
};

// Combines what a row's threads found, the largest element and the sum of exponentials relative to it, into those of the row.
static inline float2 joined(float2 part, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    float top = simd_max(part.x);
    float sum = simd_sum(part.y * exp(part.x - top));
    if (size.x == SIMD) return float2(top, sum);
    const float2 group = of_simds(float2(top, sum), partial, local, size, lane);
    top = simd_max(lane < size.x / SIMD ? group.x : LOWEST);
    return float2(top, simd_sum(group.y * exp(group.x - top)));
}

// Replaces the elements by exponentials relative to the thread's largest. Returns the row's largest, and the sum of exponentials
// relative to that. All threads of the threadgroup must call it.
template <typename T, bool WHOLE>
static inline float2 to_powers(thread Kept<T, WHOLE> &mine, thread float &largest, threadgroup float2 *partial, uint2 local, uint2 size, uint lane) {
    Largest top = {LOWEST};
    mine.each(top);
    Powers<T> powers = {top.found, 0.0f};
    mine.each(powers);
    largest = powers.largest;
    return joined(float2(powers.largest, powers.sum), partial, local, size, lane);
}
