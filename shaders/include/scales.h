// Scales and zero points of blocks, in f32 or f16. A kernel argument has one type, so that both are declared as bytes.
#include "params/scales.h"

constant bool half_scales [[function_constant(HALF_SCALES)]];
constant constexpr float MAX_HALF = 65504.0f; // the largest finite value

// Bytes per scale.
static inline uint scale_bytes() { return half_scales ? 2 : 4; }

static inline float scale_at(device const uchar *scales, size_t b) {
    return half_scales ? float(((device const half *)scales)[b]) : ((device const float *)scales)[b];
}

static inline void put_scale(device uchar *scales, size_t b, float x) {
    if (half_scales) ((device half *)scales)[b] = half(x);
    else ((device float *)scales)[b] = x;
}

// A scale or zero point as it will be stored: in f16, the nearest finite value.
static inline float stored_scale(float x) { return half_scales ? float(half(clamp(x, -MAX_HALF, MAX_HALF))) : x; }

// The value of a code of block b.
template <typename Q>
static inline float value_of(float code, device const uchar *scale, device const uchar *zero, uint b) {
    return (Q::ZEROS ? code - scale_at(zero, b) : code) * scale_at(scale, b);
}

// Weight (row, col).
template <typename Q>
static inline float weight_at(device const uchar *q, device const uchar *scale, device const uchar *zero, uint row, uint col, uint cols, uint block) {
    return value_of<Q>(code_of<Q>(q, row, col, cols), scale, zero, block_of(row, col, cols, block));
}
