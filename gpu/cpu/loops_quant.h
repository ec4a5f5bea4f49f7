// Template: quantized numbers.
#include "quant.h"

INLINE float code_at(const int four, const void *q, size_t i) {
    if (!four) return ((const int8_t *)q)[i];
    const int nibble = ((const uint8_t *)q)[i / 2] >> i % 2 * 4 & 15;
    return (float)((nibble ^ 8) - 8);
}

// The levels of a block for v_level: its zero point, or, if there is a look-up for int4, every code less the zero point.
INLINE vf v_levels(const int four, float zero) {
#if defined(LOOKUP_I4)
    if (four) return v_all_i4() - v_set1(zero);
#endif
    return v_set1(zero);
}

// VL codes from i on, less the zero point; int4 codes begin in the low half of a byte.
INLINE vf v_level(const int four, const void *q, size_t i, vf levels) {
#if defined(LOOKUP_I4)
    if (four) return v_lookup_i4((const uint8_t *)q + i / 2, levels);
#endif
    return (four ? v_load_i4((const uint8_t *)q + i / 2) : v_load_i8((const int8_t *)q + i)) - levels;
}

// Elements [first, last) of one block, to out; vectors of int4 codes begin in the low half of a byte.
INLINE void dequant_block(const int four, const void *q, float zero, float scale, size_t first, size_t last,
                          float *out) {
    const vf levels = v_levels(four, zero), s = v_set1(scale);
    size_t i = first;
    if (four && i % 2 == 1 && i < last) *out++ = (code_at(four, q, i++) - zero) * scale;
    for (; i + VL <= last; i += VL, out += VL) v_store(out, v_level(four, q, i, levels) * s);
    for (; i < last; i++) *out++ = (code_at(four, q, i) - zero) * scale;
}

INLINE void dequant(const int four, const void *q, size_t block, const float *zero, const float *scale, size_t first,
                    size_t n, float *out) {
    const size_t last = first + n;
    for (size_t b = first / block; first < last; b++) {
        const size_t end = min_size((b + 1) * block, last);
        dequant_block(four, q, zero[b], scale[b], first, end, out);
        out += end - first;
        first = end;
    }
}

#define DEQUANT(type)                                                                                              \
    static void dequant_##type(const void *q, size_t block, const float *zero, const float *scale, size_t first,  \
                               size_t n, float *out) {                                                            \
        dequant(FOUR_##type, q, block, zero, scale, first, n, out);                                               \
    }
QUANT_TYPES(DEQUANT)

// acc[r] += a[r]·w over the n elements of a row of weights w, for rows r < m of a. Each block is converted in registers
// and multiplied as it is, then scaled as a sum, unless the scale is infinite or NaN: a sum would hide that 0·∞ is NaN.
// Blocks of int4 are even.
INLINE void quant_dot_rows(const int four, const int m, const void *q, size_t block, const float *zero,
                           const float *scale, const float *a, size_t lda, size_t n, float *acc) {
    vf total[GEMV_ROWS] = {{0}};
    for (size_t b = 0, i = 0; i < n; b++) {
        const size_t end = min_size(i + block, n), whole = __builtin_isfinite(scale[b]) ? end : i;
        const vf levels = v_levels(four, zero[b]), s = v_set1(scale[b]);
        vf sum[GEMV_ROWS] = {{0}}, more[GEMV_ROWS] = {{0}};
        for (; i + 2 * VL <= whole; i += 2 * VL) {
            const vf w = v_level(four, q, i, levels), x = v_level(four, q, i + VL, levels);
            UNROLL
            for (int r = 0; r < m; r++) {
                sum[r] = v_fma(w, v_load(a + r * lda + i), sum[r]);
                more[r] = v_fma(x, v_load(a + r * lda + i + VL), more[r]);
            }
        }
        for (; i + VL <= whole; i += VL) {
            const vf w = v_level(four, q, i, levels);
            UNROLL
            for (int r = 0; r < m; r++) sum[r] = v_fma(w, v_load(a + r * lda + i), sum[r]);
        }
        UNROLL
        for (int r = 0; r < m; r++) total[r] = v_fma(sum[r] + more[r], s, total[r]);
        for (; i < end; i++) {
            const float w = (code_at(four, q, i) - zero[b]) * scale[b];
            for (int r = 0; r < m; r++) acc[r] += w * a[r * lda + i];
        }
    }
    for (int r = 0; r < m; r++) acc[r] += sum_of(total[r]);
}

#define QUANT_DOT(type)                                                                                                \
    static void quant_dot_##type(const void *q, size_t block, const float *zero, const float *scale, const float *a,  \
                                 size_t lda, int m, size_t n, float *acc) {                                           \
        switch (m) {                                                                                                  \
        case 4: quant_dot_rows(FOUR_##type, 4, q, block, zero, scale, a, lda, n, acc); break;                         \
        case 3: quant_dot_rows(FOUR_##type, 3, q, block, zero, scale, a, lda, n, acc); break;                         \
        case 2: quant_dot_rows(FOUR_##type, 2, q, block, zero, scale, a, lda, n, acc); break;                         \
        default: quant_dot_rows(FOUR_##type, 1, q, block, zero, scale, a, lda, n, acc);                               \
        }                                                                                                             \
    }
QUANT_TYPES(QUANT_DOT)

static void range(const float *x, size_t n, float *lo, float *hi) {
    vf low = v_set1(*lo), high = v_set1(*hi);
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        low = v_min(v_load(x + i), low);
        high = v_max(v_load(x + i), high);
    }
    UNROLL
    for (int left = VL; left > 1; left /= 2) { // each zip of the halves leaves half as many different lanes
        low = v_min(ZIP_LOW(low, low), ZIP_HIGH(low, low));
        high = v_max(ZIP_LOW(high, high), ZIP_HIGH(high, high));
    }
    *lo = low[0], *hi = high[0];
    for (; i < n; i++) {
        if (x[i] < *lo) *lo = x[i];
        if (x[i] > *hi) *hi = x[i];
    }
}

INLINE vf code_of(vf x, const struct scale *s) {
    return v_rint(v_min(v_set1(s->qmax), v_max(v_set1(s->qmin), x / v_set1(s->scale) + v_set1(s->zero))));
}

// n codes of x, a byte each.
static void make_codes(const float *x, const struct scale *s, size_t n, int8_t *q) {
    for (size_t i = 0; i < n; i += VL) {
        const size_t part = min_size(VL, n - i);
        const vf c = code_of(part == VL ? v_load(x + i) : v_load_n(x + i, part), s);
        const codes code = __builtin_convertvector(__builtin_convertvector(c, vi), codes);
        memcpy(q + i, &code, part);
    }
}

#define CODES 512 // converted at a time before they are packed; even

static void quantize_I8(const float *x, const struct scale *s, size_t first, size_t n, void *q) {
    make_codes(x + first, s, n, (int8_t *)q + first);
}

static void quantize_I4(const float *x, const struct scale *s, size_t first, size_t n, void *q) {
    for (const size_t last = first + n; first < last; first += CODES) {
        int8_t code[CODES + 1];
        const size_t part = min_size(CODES, last - first);
        make_codes(x + first, s, part, code);
        code[part] = 0;
        for (size_t i = 0; i < part; i += 2)
            ((char *)q)[(first + i) / 2] = (char)((code[i] & 15) | (code[i + 1] & 15) << 4);
    }
}

#define DEQUANT_ENTRY(type) [CPU_##type] = dequant_##type,
#define DOT_ENTRY(type) [CPU_##type] = quant_dot_##type,
#define QUANTIZE_ENTRY(type) [CPU_##type] = quantize_##type,
static const struct quant_loops quant_loops = {
    .dequant = {QUANT_TYPES(DEQUANT_ENTRY)},
    .dot = {QUANT_TYPES(DOT_ENTRY)},
    .quantize = {QUANT_TYPES(QUANTIZE_ENTRY)},
    .range = range,
};
