// Layer normalization: the statistics of a row, and its elements once these are known.
#include "rows.h"

// Sums of the distances from shift, and of their squares.
template <typename T>
struct Moments {
    device const T *at;
    float shift;
    float2 sum;

    void take(uint i) {
        const float d = float(at[i]) - shift;
        sum += float2(d, d * d);
    }

    void take4(uint i) {
        const float4 d = four(at, i) - shift;
        sum += float2((d.x + d.y) + (d.z + d.w), dot(d, d));
    }
};

template <typename T>
struct Normalized {
    device const T *x, *weight, *bias;
    device T *out;
    float mean, scale;

    void take(uint i) { out[i] = T(fma((float(x[i]) - mean) * scale, float(weight[i]), float(bias[i]))); }

    void take4(uint i) { put4(out, i, fma((four(x, i) - mean) * scale, four(weight, i), four(bias, i))); }
};

// Normalizes a row, given the means of its distances from shift (mean.x) and of their squares (mean.y).
template <typename T>
static inline Normalized<T> normalized(device const T *x, device const T *weight, device const T *bias, device T *out,
                                       float shift, float2 mean, float eps) {
    const float spread = mean.y - mean.x * mean.x, variance = spread < 0.0f ? 0.0f : spread; // max() would drop NaN
    return {x, weight, bias, out, shift + mean.x, 1.0f / sqrt(variance + eps)};
}
