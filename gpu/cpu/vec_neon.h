// Vectors of 4 floats in NEON, which every arm64 processor has.
#include <arm_neon.h>
#include <string.h>

#define VL 4
#define STREAMS 0 // arm64 cores detect streams of stores themselves
#include "vec_common.h"

INLINE vf v_load_n(const float *p, size_t n) {
    vf x = {0};
    for (size_t i = 0; i < n; i++) x[i] = p[i];
    return x;
}
INLINE void v_store_n(float *p, vf x, size_t n) {
    if (n == VL) v_store(p, x);
    else
        for (size_t i = 0; i < n; i++) p[i] = x[i];
}

INLINE vf v_fma(vf a, vf b, vf c) { return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
INLINE vf v_min(vf a, vf b) { return (vf)vminq_f32((float32x4_t)a, (float32x4_t)b); } // NaN where either is NaN
INLINE vf v_max(vf a, vf b) { return (vf)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
INLINE vf v_rint(vf x) { return (vf)vrndnq_f32((float32x4_t)x); }

INLINE vf v_reciprocal(vf x) { return v_set1(1) / x; }

// p·2^n for integral n in [-252, 252], in two steps so that 2^n need not be a float.
INLINE vf v_scale(vf p, vf n) {
    const int32x4_t whole = vcvtq_s32_f32((float32x4_t)n), half = vshrq_n_s32(whole, 1), bias = vdupq_n_s32(127);
    const int32x4_t low = vshlq_n_s32(vaddq_s32(half, bias), 23);
    const int32x4_t high = vshlq_n_s32(vaddq_s32(vsubq_s32(whole, half), bias), 23);
    return p * (vf)low * (vf)high;
}

INLINE vf v_load_f16(const uint16_t *p) { return (vf)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
INLINE void v_store_f16(uint16_t *p, vf x) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)x))); }

// Four vectors, rounded and saturated to signed bytes; and bytes from low to high.
INLINE int16x8_t v_round_two(vf a, vf b) {
    return vcombine_s16(vqmovn_s32(vcvtnq_s32_f32((float32x4_t)a)), vqmovn_s32(vcvtnq_s32_f32((float32x4_t)b)));
}
INLINE vi v_round_four(const vf x[4]) { return (vi)vcombine_s8(vqmovn_s16(v_round_two(x[0], x[1])), vqmovn_s16(v_round_two(x[2], x[3]))); }
INLINE vi v_clamp_bytes(vi x, int8_t low, int8_t high) { return (vi)vminq_s8(vmaxq_s8((int8x16_t)x, vdupq_n_s8(low)), vdupq_n_s8(high)); }
#include "vec_four.h"

// Sums of four products of bytes.
#define DOT_BIAS 0
#define DIGIT_BITS 8
#if defined(__ARM_FEATURE_DOTPROD)
#define FAST_DOTS 1
INLINE vi v_dot(vi sum, vi x, vi y) { return (vi)vdotq_s32((int32x4_t)sum, (int8x16_t)x, (int8x16_t)y); }
#else
INLINE vi v_dot(vi sum, vi x, vi y) {
    const int16x8_t low = vmull_s8(vget_low_s8((int8x16_t)x), vget_low_s8((int8x16_t)y)), high = vmull_high_s8((int8x16_t)x, (int8x16_t)y);
    return sum + (vi)vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
}
#endif

#define KERNEL_ROWS 12
#define KERNEL_VECTORS 2
#define KERNEL_DEPTH 256
#define ISA_NAME "neon"
#define ISA_TABLE isa_neon
