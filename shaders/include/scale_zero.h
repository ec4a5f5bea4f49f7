// How the quantizers choose a block's scale and zero point.
#include "quantize.h"
#include "scales.h"

// Scale (x) and zero point (y) of a block of n values in [lo, hi]; `sum` is the sum of their magnitudes. Both are returned as
// they will be stored, since codes must be computed with these.
template <typename Q>
static inline float2 scale_zero(float lo, float hi, float sum, float n, bool symmetric) {
    if (Q::MEAN) {
        const float mean = stored_scale(sum / n);
        return float2(mean < SMALLEST ? 1.0f : mean, 0.0f);
    }
    if (lo == hi) {
        const float same = stored_scale(lo);
        return float2(abs(same) < SMALLEST ? 1.0f : same, 0.0f);
    }
    const bool centered = symmetric || !Q::ZEROS;
    const float scale = stored_scale(centered ? max(abs(lo), abs(hi)) / Q::top : (hi - lo) / (Q::top - Q::bottom));
    if (scale < SMALLEST) return float2(1.0f, 0.0f);
    return float2(scale, centered ? 0.0f : stored_scale(Q::bottom - lo / scale));
}
