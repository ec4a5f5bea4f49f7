// Template: quantized numbers.
#include "quant.h"

#define IS_MINIFLOAT(type) ((type) == CPU_E4M3 || (type) == CPU_E5M2)

// Levels are codes less the zero point; for some types, in multiples of a power of two.
INLINE float unit_of(const int type) { return type == CPU_E4M3 ? 256 : 1; }

// An eight-bit float with `significand` bits of significand, whose smallest normal value is 2^lowest.
INLINE float minifloat_at(const int significand, const int lowest, uint8_t code) {
    const uint32_t size = code & 127, sign = (uint32_t)(code & 128) << 24;
    const float steps = (float)size * (float)(1.0 / (double)(1ull << (significand - lowest)));
    uint32_t bits;
    memcpy(&bits, &steps, sizeof bits);
    if (size >> significand) bits = (size << (23 - significand)) + ((uint32_t)(126 + lowest) << 23);
    bits |= sign;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE float code_at(const int type, const void *q, size_t i) {
    const uint8_t *bytes = q;
    if (type == CPU_I8) return ((const int8_t *)q)[i];
    if (type == CPU_I4) return (float)(((bytes[i / 2] >> i % 2 * 4 & 15) ^ 8) - 8);
    if (type == CPU_TERNARY) return (float)((bytes[i / 4] >> i % 4 * 2 & 3) - 1);
    if (type == CPU_E4M3) return (bytes[i] & 127) == 127 ? NAN : minifloat_at(3, -6, bytes[i]);
    if ((bytes[i] & 127) > 124) return NAN;
    return (bytes[i] & 127) == 124 ? (bytes[i] & 128 ? -INFINITY : INFINITY) : minifloat_at(2, -14, bytes[i]);
}

// The levels of a block for v_level: its zero point, or, if int4 has a look-up, every code less the zero point.
INLINE vf v_levels(const int type, float zero) {
#if defined(LOOKUP_I4)
    if (type == CPU_I4) return v_all_i4() - v_set1(zero);
#endif
    return v_set1(zero);
}

// Signed bytes as 16 bits each, for two vectors.
#if !defined(WIDEN_TWO)
INLINE v_shorts_two v_widen_two(const uint8_t *p) {
    v_bytes_two b;
    memcpy(&b, p, sizeof b);
    return __builtin_convertvector(b, v_shorts_two);
}
#endif

// Two vectors of f16 by way of memory: conversions that load leave the shuffle unit free.
INLINE void v_halves_to_floats(v_halves_two h, vf *x, vf *y) {
    uint16_t memory[2 * VL] __attribute__((aligned(64)));
    memcpy(memory, &h, sizeof h);
    __asm__("" : "+m"(memory));
    *x = v_load_f16(memory), *y = v_load_f16(memory + VL);
}

// The bits of e4m3 placed in an f16 are worth 2^-8 of it. Adding a step carries into the first exponent bit, until then a copy of
// the sign, only for NaN.
INLINE void v_load_e4m3(const uint8_t *p, vf *x, vf *y) {
    const v_halves_two h = (v_halves_two)v_widen_two(p) << 7, carried = h + 0x80, kept = (v_halves_two){0} + 0xbf80;
    v_halves_to_floats((h & kept) | ((h ^ carried) & ~kept), x, y);
}

INLINE void v_load_e5m2(const uint8_t *p, vf *x, vf *y) { v_halves_to_floats((v_halves_two)v_widen_two(p) << 8, x, y); }

// Codes 0 to 3 of two bits each; the first are in the lowest bits.
INLINE vu v_load_pairs_of_bits(const uint8_t *p) {
    uint32_t word = 0;
    vu shift;
    memcpy(&word, p, VL / 4);
    UNROLL
    for (int i = 0; i < VL; i++) shift[i] = 2u * (uint32_t)i;
    return (word - (vu){0}) >> shift & 3;
}

// VL codes from i on, less the zero point; the first begins a byte. Float codes are only available two vectors at a time.
INLINE vf v_level(const int type, const void *q, size_t i, vf levels) {
    const uint8_t *at = (const uint8_t *)q + i * (size_t)cpu_type_bits(type) / 8;
#if defined(LOOKUP_I4)
    if (type == CPU_I4) return v_lookup_i4(at, levels);
#endif
    if (type == CPU_I4) return v_load_i4(at) - levels;
    if (type == CPU_TERNARY) return __builtin_convertvector((vi)v_load_pairs_of_bits(at) - 1, vf);
    return v_load_i8((const int8_t *)at) - levels;
}

// 2·VL codes, in the type's unit.
INLINE void v_levels_two(const int type, const void *q, size_t i, vf levels, vf *x, vf *y) {
    const uint8_t *at = (const uint8_t *)q + i;
    if (type == CPU_E4M3) v_load_e4m3(at, x, y);
    else if (type == CPU_E5M2) v_load_e5m2(at, x, y);
    else *x = v_level(type, q, i, levels), *y = v_level(type, q, i + VL, levels);
}

// Elements [first, last) of one block, to out; vectors of codes begin a byte.
INLINE void dequant_block(const int type, const void *q, float zero, float scale, size_t first, size_t last,
                          float *out) {
    const vf levels = v_levels(type, zero), s = v_set1(scale), unit = v_set1(unit_of(type));
    const size_t each = 8 / (size_t)cpu_type_bits(type);
    size_t i = first;
    for (; i % each != 0 && i < last; i++) *out++ = (code_at(type, q, i) - zero) * scale;
    for (vf x, y; i + 2 * VL <= last; i += 2 * VL, out += 2 * VL) {
        v_levels_two(type, q, i, levels, &x, &y);
        v_store(out, x * unit * s), v_store(out + VL, y * unit * s);
    }
    for (; !IS_MINIFLOAT(type) && i + VL <= last; i += VL, out += VL) v_store(out, v_level(type, q, i, levels) * s);
    for (; i < last; i++) *out++ = (code_at(type, q, i) - zero) * scale;
}

INLINE void dequant(const int type, const void *q, size_t block, const float *zero, const float *scale, size_t first,
                    size_t n, float *out) {
    const size_t last = first + n;
    for (size_t b = first / block; first < last; b++) {
        const size_t end = min_size((b + 1) * block, last);
        dequant_block(type, q, zero ? zero[b] : 0, scale[b], first, end, out);
        out += end - first;
        first = end;
    }
}

#define DEQUANT(type)                                                                                              \
    static void dequant_##type(const void *q, size_t block, const float *zero, const float *scale, size_t first,  \
                               size_t n, float *out) {                                                            \
        dequant(CPU_##type, q, block, zero, scale, first, n, out);                                               \
    }
QUANT_TYPES(DEQUANT)

#define LEVELS_AHEAD 2048 // prefetch distance in codes, in bytes: hardware prefetching stops at a page boundary

// acc[r] += a[r]·w over the n elements of a row of weights w, for rows r < m of a. Each block is converted and multiplied in
// registers, then scaled as a sum, unless the scale is infinite or NaN: a sum would hide that 0·∞ is NaN. Blocks begin a byte.
INLINE void quant_dot_rows(const int type, const int m, const void *q, size_t block, const float *zero,
                           const float *scale, const float *a, size_t lda, size_t n, float *acc) {
    vf total[GEMV_ROWS] = {{0}};
    for (size_t b = 0, i = 0; i < n; b++) {
        const int finite = __builtin_isfinite(scale[b]);
        const size_t end = min_size(i + block, n), whole = finite ? end : i;
        const float z = zero ? zero[b] : 0;
        const vf levels = v_levels(type, z), s = v_set1(finite ? scale[b] : 0);
        vf sum[GEMV_ROWS] = {{0}}, more[GEMV_ROWS] = {{0}};
        for (; i + 2 * VL <= whole; i += 2 * VL) {
            vf w, x;
            v_levels_two(type, q, i, levels, &w, &x);
            if (IS_MINIFLOAT(type)) __builtin_prefetch((const char *)q + i + LEVELS_AHEAD);
            UNROLL
            for (int r = 0; r < m; r++) {
                sum[r] = v_fma(w, v_load(a + r * lda + i), sum[r]);
                more[r] = v_fma(x, v_load(a + r * lda + i + VL), more[r]);
            }
        }
        for (; !IS_MINIFLOAT(type) && i + VL <= whole; i += VL) {
            const vf w = v_level(type, q, i, levels);
            UNROLL
            for (int r = 0; r < m; r++) sum[r] = v_fma(w, v_load(a + r * lda + i), sum[r]);
        }
        UNROLL
        for (int r = 0; r < m; r++) total[r] = v_fma(sum[r] + more[r], s, total[r]);
        for (; i < end; i++) {
            const float w = (code_at(type, q, i) - z) * scale[b];
            for (int r = 0; r < m; r++) acc[r] += w * a[r * lda + i];
        }
    }
    for (int r = 0; r < m; r++) acc[r] += sum_of(total[r]) * unit_of(type);
}

#define QUANT_DOT(type)                                                                                                \
    static void quant_dot_##type(const void *q, size_t block, const float *zero, const float *scale, const float *a,  \
                                 size_t lda, int m, size_t n, float *acc) {                                           \
        switch (m) {                                                                                                  \
        case 4: quant_dot_rows(CPU_##type, 4, q, block, zero, scale, a, lda, n, acc); break;                         \
        case 3: quant_dot_rows(CPU_##type, 3, q, block, zero, scale, a, lda, n, acc); break;                         \
        case 2: quant_dot_rows(CPU_##type, 2, q, block, zero, scale, a, lda, n, acc); break;                         \
        default: quant_dot_rows(CPU_##type, 1, q, block, zero, scale, a, lda, n, acc);                               \
        }                                                                                                             \
    }
QUANT_TYPES(QUANT_DOT)

#include "loops_quantize.h"

#define DEQUANT_ENTRY(type) [CPU_##type] = dequant_##type,
#define DOT_ENTRY(type) [CPU_##type] = quant_dot_##type,
#define QUANTIZE_ENTRY(type) [CPU_##type] = quantize_##type,
static const struct quant_loops quant_loops = {
    .dequant = {QUANT_TYPES(DEQUANT_ENTRY)},
    .dot = {QUANT_TYPES(DOT_ENTRY)},
    .quantize = {QUANT_TYPES(QUANTIZE_ENTRY)},
    .stream_group = stream_group,
    .fence = quant_fence,
    .ranges = ranges,
    .scales = scales,
    .magnitudes = magnitudes,
    .means = means,
};
