// Template: rows of int8 activations with a scale in each block times rows of codes, like loops_dots.h, which includes this. The
// activations have as many digits as exact byte products require, or two.
#include "dots.h"

#define CODE_DIGITS(bits) (DIGIT_OF(bits) == 8 ? 1 : 2)
#define CODE_HALF(bits, digits) ((digits) == 1 ? DIGIT_HALF(bits) : DIGITS_HALF(bits, 2))

// The group from activation i on; byte j of a plane is a digit of one of the activations of lane j / 4.
INLINE void prepare_codes_group(const int bits, const int digits, const int8_t *a, const float *scale, size_t block, size_t i, size_t n, char *x) {
    const size_t count = LANE_CODES(bits), parts = 8 / (size_t)bits;
    int32_t minus[VL];
    float scales[VL];
    for (size_t l = 0; l < VL; l++, i += count) {
        int32_t sum = 0;
        for (size_t c = 0; c < count; c++) {
            const int32_t code = i + c < n ? a[i + c] : 0;
            for (int d = 0; d < digits; d++)
                x[(c % parts * (size_t)digits + (size_t)d) * PLANE + 4 * l + c / parts] =
                    (char)(((code + CODE_HALF(bits, digits)) >> (d * DIGIT_OF(bits)) & (2 * DIGIT_HALF(bits) - 1)) - DIGIT_HALF(bits));
            sum += code;
        }
        minus[l] = -bias_of(bits) * sum, scales[l] = i < n ? scale[i / block] : 0;
    }
    memcpy(x + parts * (size_t)digits * PLANE, minus, sizeof minus);
    memcpy(x + (parts * (size_t)digits + 1) * PLANE, scales, sizeof scales);
}

INLINE void prepare_codes(const int bits, const int digits, const int8_t *a, const float *scale, size_t block, size_t n, char *x, float *sums) {
    const size_t group = (size_t)LANE_CODES(bits) * VL;
    for (size_t i = 0; i < n; i += group, x += dot_group_bytes(bits, digits, VL)) prepare_codes_group(bits, digits, a, scale, block, i, n, x);
    for (size_t i = 0, b = 0; i < n; i += block, b++) {
        int32_t sum = 0;
        for (size_t k = i; k < min_size(i + block, n); k++) sum += a[k];
        sums[b] = (float)sum * scale[b];
    }
}

#define CODE_DOTS(type)                                                                                                            \
    static void prepare_codes_##type(const int8_t *a, int digits, const float *scale, size_t block, size_t n, char *x, float *sums) { \
        if (digits == 2) prepare_codes(cpu_type_bits(CPU_##type), 2, a, scale, block, n, x, sums);                                 \
        else prepare_codes(cpu_type_bits(CPU_##type), CODE_DIGITS(cpu_type_bits(CPU_##type)), a, scale, block, n, x, sums);                                   \
    }                                                                                                                              \
    static int code_dots_##type(const struct dot_weights *w, const struct quant_rows *x, int m, int rows, size_t n, float *acc) {  \
        const int bits = cpu_type_bits(CPU_##type);                                                                                \
        if (rows > 1 && x->digits == 2) return dot_scales(bits, 2, 1, DOT_APART, w, x, n, acc);                                   \
        if (m == 1 && x->digits == 2) return dot_scales(bits, 2, 1, 1, w, x, n, acc);                                              \
        if (rows > 1) return dot_scales(bits, CODE_DIGITS(bits), 1, DOT_APART, w, x, n, acc);                                           \
        return m == 2 ? dot_scales(bits, CODE_DIGITS(bits), 2, 1, w, x, n, acc) : dot_scales(bits, CODE_DIGITS(bits), 1, 1, w, x, n, acc);     \
    }
CODE_DOTS(I8)
CODE_DOTS(I4)
