// Vectors of four floats in portable vector extensions: runs on any processor.
#include <math.h>
#include <string.h>

#define VL 4
#define STREAMS 0 // no non-temporal stores
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

INLINE vf v_fma(vf a, vf b, vf c) { return a * b + c; }
INLINE vf v_select(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }
INLINE vf v_min(vf a, vf b) { return v_select(a < b, a, b); } // b where either is NaN
INLINE vf v_max(vf a, vf b) { return v_select(a > b, a, b); }

// Nearest integer, ties to even, for |x| < 2^22.
INLINE vf v_rint(vf x) {
    const vf magic = v_set1(12582912.0f); // 1.5·2^23: its unit in the last place is 1
    return (x + magic) - magic;
}

INLINE vf v_reciprocal(vf x) { return v_set1(1) / x; }

// p·2^n for integral n in [-252, 252], in two steps so that 2^n need not be a float.
INLINE vf v_scale(vf p, vf n) {
    vi whole = __builtin_convertvector(n, vi), half = whole >> 1;
    return p * (vf)((half + 127) << 23) * (vf)((whole - half + 127) << 23);
}

static inline float half_to_float(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    uint32_t bits;
    float f;
    if (rest >= 0x7c00) {
        bits = sign | 0x7f800000 | (rest & 0x3ff) << 13 | (rest > 0x7c00 ? 0x400000 : 0);
    } else if (rest >= 0x400) {
        bits = sign | ((rest << 13) + 0x38000000);
    } else { // subnormal: a multiple of 2^-24
        f = (float)rest * 0x1p-24f;
        memcpy(&bits, &f, 4);
        bits |= sign;
    }
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint16_t float_to_half(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    const uint16_t sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return sign | 0x7e00 | (bits >> 13 & 0x3ff); // keeps NaN
    if (bits >= 0x477ff000) return sign | 0x7c00;                      // 65520 and more round to infinity
    if (bits >= 0x38800000) return sign | (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
    memcpy(&f, &bits, 4);
    return sign | (uint16_t)rintf(f * 0x1p24f); // subnormal; the default rounding is to nearest even
}

// Not inlined: otherwise these conversions would be more than a quarter of the code.
static __attribute__((noinline)) vf v_load_f16(const uint16_t *p) {
    return (vf){half_to_float(p[0]), half_to_float(p[1]), half_to_float(p[2]), half_to_float(p[3])};
}
static __attribute__((noinline)) void v_store_f16(uint16_t *p, vf x) {
    for (int i = 0; i < VL; i++) p[i] = float_to_half(x[i]);
}

// Four vectors, rounded and saturated to signed bytes; and bytes within those of int4.
INLINE vi v_round_four(const vf x[4]) {
    int8_t bytes[4 * VL];
    UNROLL
    for (int v = 0; v < 4; v++) {
        const codes c = __builtin_convertvector(__builtin_convertvector(v_rint(v_min(v_set1(127), v_max(v_set1(-128), x[v]))), vi), codes);
        memcpy(bytes + v * VL, &c, sizeof c);
    }
    vi all;
    memcpy(&all, bytes, sizeof all);
    return all;
}
INLINE vi v_clamp_bytes(vi x, int8_t low, int8_t high) {
    typedef int8_t v_codes __attribute__((vector_size(4 * VL)));
    v_codes c = (v_codes)x;
    const v_codes less = c < low, more = c > high;
    return (vi)((c & ~less & ~more) | (less & low) | (more & high));
}
#include "vec_four.h"

// Sums of four byte products, of which two must fit into 16 bits.
#define DOT_BIAS 0
#define DIGIT_BITS 7
typedef int16_t v_shorts __attribute__((vector_size(4 * VL)));
typedef uint16_t v_words __attribute__((vector_size(4 * VL)));
INLINE vi v_dot(vi sum, vi x, vi y) {
    const v_shorts even = ((v_shorts)((v_words)x << 8) >> 8) * ((v_shorts)((v_words)y << 8) >> 8);
    const vi two = (vi)(even + ((v_shorts)x >> 8) * ((v_shorts)y >> 8));
    return sum + ((vi)((vu)two << 16) >> 16) + (two >> 16);
}

// Sums of two int16 products.
INLINE vi v_dot_pairs(vi sum, vi x, vi y) { return sum + ((vi)((vu)x << 16) >> 16) * ((vi)((vu)y << 16) >> 16) + (x >> 16) * (y >> 16); }
INLINE vi v_load_pairs(const void *p) {
    v_bytes_two b;
    memcpy(&b, p, sizeof b);
    return (vi)__builtin_convertvector(b, v_shorts_two);
}

#define KERNEL_ROWS 4
#define KERNEL_VECTORS 2
#define KERNEL_DEPTH 256
#define ISA_NAME "plain"
#define ISA_TABLE isa_plain
