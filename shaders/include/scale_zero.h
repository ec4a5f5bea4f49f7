// How the quantizers make scales and zero points of blocks.
#include "quantize.h"
#include "scales.h"

// Scale (x) and zero point (y) of a block of n values, which lie in [lo, hi]; the sum is that of their magnitudes. Codes are made with
// both as they are kept.
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
