// Template: rows of activations as integers times rows of ggml's blocks, with byte products.
//
// Each 32 activations become integers of 16 bits or more, multiples of a fraction of their largest magnitude, split into signed
// digits of a byte. Preparing a row shows whether all its roundings together are as small as those of a float sum; if not, the
// row is left to float arithmetic. Integers are exact up to the sum of a lane's codes.
//
// A span is 256 weights. A plane is a vector of the codes of a span, in runs of 16 neighbors. A sum is what is scaled at once: a
// plane, or two planes that share their scales. The prepared activations of a span hold, for each sum, the digits of its planes
// and, by lane, the contribution of the codes' bias and the units; then, for each group of weights with a scale, the sum and the
// unit. Vectors of 16 lanes read the values by lane from there.
#include "block_kinds.h"
#include "dots.h"
#include "params/blocks.h"

#define RUNS (VL / 4) // of a plane
#define PLANES (BLOCKS_SPAN / (4 * VL))
#define SPAN_GROUPS (BLOCKS_SPAN / BLOCKS_GROUP)
#define EIGHT_BIAS 0x01010101u

// For each kind: planes of a sum, bits and number of the activations' digits, the bias that makes codes nonnegative, whether
// there are offsets, and where run r of plane p begins in the span.
#define PAIRED_Q8_0 1
#define DIGIT_BITS_Q8_0 DIGIT_BITS
#define DIGITS_Q8_0 (DIGIT_BITS == 8 ? 2 : 3) // 3 where sums of two products of 8-bit digits would not fit into 16 bits
#define BIAS_Q8_0 DOT_BIAS
#define OFFSETS_Q8_0 0
#define START_Q8_0(p, r) (16 * ((p) * RUNS + (r)))
INLINE void sum_codes_Q8_0(const uint8_t *at, int v, vi w[2]) {
    const int first = v * VL / 8, rest = VL < 8 ? v * VL % 8 * 4 : 0; // of a block that spans several planes
    w[0] = (vi)((vu)v_pieces(PER(VL / 8), at + 34 * first + 2 + rest, 34) ^ ALL_LANES(DOT_BIAS * EIGHT_BIAS));
}

INLINE void nibbles_of(vi codes, vi w[2]) {
    const vu x = (vu)codes, low = ALL_LANES(15 * EIGHT_BIAS);
    w[0] = (vi)(x & low), w[1] = (vi)(x >> 4 & low);
}
#define EIGHT_FROM(i) i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7 // words

#define PAIRED_Q4_0 2
#define DIGIT_BITS_Q4_0 8
#define DIGITS_Q4_0 2
#define BIAS_Q4_0 8
#define OFFSETS_Q4_0 0
#define START_Q4_0(p, r) (32 * ((p) / 2 * RUNS + (r)) + (p) % 2 * 16)
#if VL == 16
INLINE void sum_codes_Q4_0(const uint8_t *at, int v, vi w[2]) {
    nibbles_of(v_four_runs(at + 72 * v + 2, 18), w);
}
#else
INLINE void sum_codes_Q4_0(const uint8_t *at, int v, vi w[2]) { nibbles_of(v_pieces(RUNS, at + 18 * v * RUNS + 2, 18), w); }
#endif

#define PAIRED_Q4_1 2
#define DIGIT_BITS_Q4_1 8
#define DIGITS_Q4_1 2
#define BIAS_Q4_1 0
#define OFFSETS_Q4_1 1
#define START_Q4_1(p, r) START_Q4_0(p, r)
#if VL == 16
INLINE void sum_codes_Q4_1(const uint8_t *at, int v, vi w[2]) {
    nibbles_of(v_four_runs(at + 80 * v + 4, 20), w);
}
#else
INLINE void sum_codes_Q4_1(const uint8_t *at, int v, vi w[2]) { nibbles_of(v_pieces(RUNS, at + 20 * v * RUNS + 4, 20), w); }
#endif

// A run of a plane is 16 bytes of the nibbles. Upper nibbles are not shifted; their units are divided by 16 instead, where each
// group of a span has a unit and the sums of these products fit.
#define TIMES_Q4_K (VL == 16 && DIGIT_BITS == 8 ? 16 : 1)
#define PAIRED_Q4_K 1
#define DIGIT_BITS_Q4_K 8
#define DIGITS_Q4_K 2
#define BIAS_Q4_K 0
#define OFFSETS_Q4_K 1
#define RUN_Q4_K(p, r) ((p) / 2 * RUNS + (r))
#define START_Q4_K(p, r) (RUN_Q4_K(p, r) / 2 * 64 + (p) % 2 * 32 + RUN_Q4_K(p, r) % 2 * 16)
INLINE void sum_codes_Q4_K(const uint8_t *at, int v, vi w[2]) {
    const vu x = (vu)v_get((const char *)at + 16 + v / 2 * 4 * VL), low = ALL_LANES(15 * EIGHT_BIAS);
    if (TIMES_Q4_K == 16) w[0] = (vi)(v % 2 ? x & ~low : x & low);
    else w[0] = (vi)(x >> (v % 2 * 4) & low);
}

#define PAIRED_Q6_K 1
#define DIGIT_BITS_Q6_K 8
#define DIGITS_Q6_K 2
#define BIAS_Q6_K 32
#define OFFSETS_Q6_K 0
#define START_Q6_K(p, r) (16 * ((p) * RUNS + (r)))
INLINE void sum_codes_Q6_K(const uint8_t *at, int v, vi w[2]) {
    const int first = v * 4 * VL, side = first / 128, quarter = first / 32 % 4, i = first % 32; // of the plane's first weight
    const vu low = (vu)v_get((const char *)at + 64 * side + 32 * (quarter % 2) + i) >> (quarter / 2 * 4) & ALL_LANES(15 * EIGHT_BIAS);
    vu high = (vu)v_pieces(PER(VL / 8), at + 128 + 32 * side + i, 0);
#if VL == 16 // two quarters
    const vu zero_two = {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2};
    high = quarter < 2 ? high << (4 - zero_two) : high >> zero_two;
#else
    high = quarter < 2 ? high << (4 - 2 * quarter) : high >> (2 * quarter - 4);
#endif
    w[0] = (vi)(low | (high & ALL_LANES(0x30 * EIGHT_BIAS)));
}

// What prepared sums are multiplied by where offsets and code biases are added for a whole span; 0: they are added by lane.
#if VL == 16
#define SUMMED_Q8_0 0 // floats would lose digits
#define SUMMED_Q4_0 -BIAS_Q4_0
#define SUMMED_Q4_1 1
#define SUMMED_Q4_K -1
#define SUMMED_Q6_K -BIAS_Q6_K
#define BY_LANE(type) (SUMMED_##type == 0)
#else
#define SUMMED_Q8_0 1
#define SUMMED_Q4_0 1
#define SUMMED_Q4_1 1
#define SUMMED_Q4_K 1
#define SUMMED_Q6_K 1
#define BY_LANE(type) 2
#endif

#define SUMS(type) (PLANES / PAIRED_##type)
#define SUM_BYTES(type, digits) (PLANE * (PAIRED_##type * (digits) + BY_LANE(type)))
#define FACTORS(type) (BLOCKS_SPAN / GROUP_##type)
#define SPAN_BYTES(type, digits) ((size_t)SUMS(type) * SUM_BYTES(type, digits) + 8 * FACTORS(type))

// The largest integer of `digits` signed digits.
INLINE int largest_digits(const int bits, const int digits) {
    int all = 0;
    for (int d = 0; d < digits; d++) all = (all << bits) + (1 << (bits - 1)) - 1;
    return all;
}

// The integers of a span, their digits in order, and their units.
struct span_digits {
    int32_t integer[BLOCKS_SPAN];
    int8_t digit[3][BLOCKS_SPAN];
    float unit[SPAN_GROUPS];
};

// 32 activations from group g on; 0 if they or their squares are not finite.
INLINE int group_digits(const int most, const float *a, int g, struct span_digits *s, struct rounding *e) {
    vf top = {0};
    UNROLL
    for (int i = 0; i < 32; i += VL) top = v_max(v_abs(v_load(a + i)), top);
    float largest = 0, sum = 0;
    for (int l = 0; l < VL; l++) largest = fmaxf(largest, top[l]);
    for (int i = 0; i < 32; i++) sum += a[i];
    s->unit[g] = largest / (float)most;
    if (!(sum - sum == 0 && largest < 0x1p60f && (largest > 0x1p-60f || largest == 0))) return 0;
    const vf each = v_set1(largest > 0 ? (float)most / largest : 0), unit = v_set1(s->unit[g]);
    UNROLL
    for (int i = 0; i < 32; i += VL) {
        const vf x = v_load(a + i), exact = x * each, near = v_rint(exact), off = (exact - near) * unit;
        const vi integer = __builtin_convertvector(near, vi);
        memcpy(s->integer + 32 * g + i, &integer, sizeof integer);
        e->square = v_fma(off, off, e->square), e->size += v_abs(x);
    }
    return 1;
}

INLINE void split_digits(const int bits, const int digits, struct span_digits *s) {
    for (int i = 0; i < BLOCKS_SPAN; i++) {
        int32_t left = s->integer[i];
        for (int d = 0; d < digits; d++) {
            const int32_t up = (left + (1 << (bits - 1))) >> bits;
            s->digit[d][i] = (int8_t)(left - up * (1 << bits));
            left = up;
        }
    }
}

// The sums of four integers side by side.
INLINE void sum_fours(const int32_t *integer, int32_t *fours) {
    for (int i = 0; i < BLOCKS_SPAN / 4; i++) fours[i] = integer[4 * i] + integer[4 * i + 1] + integer[4 * i + 2] + integer[4 * i + 3];
}

// The same for n activations that already are integers of one digit, with a scale for each `block` of them; the rest of the span
// is zeros.
INLINE void rounded_digits(const int8_t *a, const float *scale, size_t block, size_t n, struct span_digits *s) {
    memset(s, 0, sizeof *s);
    memcpy(s->digit[0], a, n);
    for (size_t g = 0; g < n / BLOCKS_GROUP; g++) s->unit[g] = scale[g * BLOCKS_GROUP / block];
    for (size_t i = 0; i < n; i++) s->integer[i] = a[i];
}

#define PREPARE_BLOCKS(type, bits, weights, bytes)                                                                            \
    INLINE void put_span_##type(const int digits, const struct span_digits *s, char *x) {                                     \
        int32_t fours[BLOCKS_SPAN / 4];                                                                                       \
        sum_fours(s->integer, fours);                                                                                         \
        for (int v = 0; v < SUMS(type); v++, x += SUM_BYTES(type, digits)) {                                                  \
            int32_t bias[VL] = {0};                                                                                           \
            float unit[VL];                                                                                                   \
            for (int i = 0; i < PAIRED_##type * RUNS; i++) {                                                                  \
                const int p = i / RUNS, r = i % RUNS, from = START_##type(v * PAIRED_##type + p, r);                          \
                for (int d = 0; d < digits; d++)                                                                              \
                    memcpy(x + (p * digits + d) * PLANE + 16 * r, s->digit[d] + from, 16);                                    \
                for (int l = 0; l < 4; l++) bias[4 * r + l] -= BIAS_##type * fours[from / 4 + l], unit[4 * r + l] = s->unit[from / 32]; \
            }                                                                                                                 \
            const char *by_lane[2] = {(const char *)bias, (const char *)unit};                                                \
            for (int i = 0; i < BY_LANE(type); i++) memcpy(x + (PAIRED_##type * digits + i) * PLANE, by_lane[i], PLANE); \
        }                                                                                                                     \
        for (int g = 0; g < FACTORS(type); g++) {                                                                             \
            const float unit = s->unit[g * GROUP_##type / 32];                                                                \
            const float part = unit / (CPU_##type == CPU_Q4_K && g % 2 ? TIMES_Q4_K : 1);                                     \
            float sum = 0;                                                                                                    \
            for (int i = 0; i < GROUP_##type / 4; i++) sum += (float)fours[g * GROUP_##type / 4 + i];                         \
            sum *= unit * SUMMED_##type;                                                                                      \
            memcpy(x + 4 * g, &sum, 4);                                                                                       \
            memcpy(x + 4 * (FACTORS(type) + g), &part, 4);                                                                    \
        }                                                                                                                     \
    }                                                                                                                         \
    static int prepare_blocks_##type(const float *a, size_t n, char *x) {                                                     \
        struct rounding e = {{0}, {0}};                                                                                    \
        for (size_t k = 0; k < n; k += BLOCKS_SPAN, x += SPAN_BYTES(type, DIGITS_##type)) {                                   \
            const size_t left = min_size(BLOCKS_SPAN, n - k);                                                                 \
            float part[BLOCKS_SPAN] = {0};                                                                                    \
            struct span_digits s;                                                                                             \
            memcpy(part, a + k, left * sizeof(float));                                                                        \
            for (int g = 0; g < SPAN_GROUPS; g++)                                                                             \
                if (!group_digits(largest_digits(DIGIT_BITS_##type, DIGITS_##type), part + 32 * g, g, &s, &e)) return 0;      \
            split_digits(DIGIT_BITS_##type, DIGITS_##type, &s);                                                               \
            put_span_##type(DIGITS_##type, &s, x);                                                                            \
        }                                                                                                                     \
        return rounding_fits(&e, n);                                                                                          \
    }                                                                                                                         \
    static void prepare_rounded_##type(const int8_t *a, const float *scale, size_t n, char *x) {                              \
        for (size_t k = 0; k < n; k += BLOCKS_SPAN, x += SPAN_BYTES(type, 1)) {                                               \
            struct span_digits s;                                                                                             \
            rounded_digits(a + k, scale + k / (weights), weights, min_size(BLOCKS_SPAN, n - k), &s);                          \
            put_span_##type(1, &s, x);                                                                                        \
        }                                                                                                                     \
    }
BLOCK_TYPES(PREPARE_BLOCKS)

#if defined(SHORT_SUMS)
// The integer sums of products with two 8-bit digits. For codes of up to six bits the sums of two planes fit into int16.
INLINE vi short_sum(const int planes, const char *x, const vi w[2]) {
    v_shorts high = {0}, low = {0};
    UNROLL
    for (int p = 0; p < planes; p++) {
        low += v_two_bytes(w[p], v_get(x + 2 * p * PLANE));
        high += v_two_bytes(w[p], v_get(x + (2 * p + 1) * PLANE));
    }
    return v_of_digits(high, low);
}
#endif

// The integer sums of products over the planes of a sum.
INLINE vi digits_sum(const int planes, const int digits, const int bits, const char *x, const vi w[2]) {
    vi sum = {0};
#if defined(SHORT_SUMS)
    if (digits == 2 && bits == 8) return short_sum(planes, x, w);
#endif
    UNROLL
    for (int d = digits - 1; d >= 0; d--) {
        if (d < digits - 1) sum = (vi)((vu)sum << bits);
        UNROLL
        for (int p = 0; p < planes; p++) sum = v_dot(sum, w[p], v_get(x + (p * digits + d) * PLANE));
    }
    return sum;
}

// The same less the contribution of the codes' bias.
INLINE vi span_sum(const int planes, const int digits, const int bits, const int bias, const char *x, const vi w[2]) {
    const vi sum = digits_sum(planes, digits, bits, x, w);
    return bias ? (vi)((vu)sum + (vu)v_get(x + planes * digits * PLANE)) : sum;
}

#define ROW_SPAN(type) ((size_t)BLOCKS_SPAN / cpu_block_weights(CPU_##type) * cpu_block_bytes(CPU_##type))

#if VL == 16

// The factors of a span's sums, one for each group, in the upper half of the lanes if there are eight of them; offsets and biases
// are added to total.
INLINE vf add_summed(vf factors, const char *tail, vf *total) {
    const vf both = factors * (vf)v_get(tail);
    *total = v_add_low(*total, both);
    return both;
}
// Four f16 values, assembled by scalar instructions, since vector instructions limit the loop.
INLINE uint64_t four_bits(const uint8_t *p, size_t apart) {
    return bits_at(p) | (uint64_t)bits_at(p + apart) << 16 | (uint64_t)bits_at(p + 2 * apart) << 32 | (uint64_t)bits_at(p + 3 * apart) << 48;
}
INLINE vf factors_Q8_0(const uint8_t *at, const char *tail, vf *total) {
    (void)total;
    return v_upper_halves(four_bits(at, 34), four_bits(at + 136, 34)) * (vf)v_get(tail);
}
INLINE vf factors_Q4_0(const uint8_t *at, const char *tail, vf *total) {
    return add_summed(v_of_halves(v_pick(at, at + 64, (v_halves){0, 9, 18, 27, 36, 45, 54, 63, 0, 9, 18, 27, 36, 45, 54, 63})), tail, total);
}
INLINE vf factors_Q4_1(const uint8_t *at, const char *tail, vf *total) {
    return add_summed(v_of_halves(v_pick(at, at + 80, (v_halves){1, 11, 21, 31, 33, 43, 53, 63, 0, 10, 20, 30, 32, 42, 52, 62})), tail, total);
}
INLINE vf factors_Q4_K(const uint8_t *at, const char *tail, vf *total) {
    return add_summed(v_of_sixes(at) * v_spread_halves(at), tail, total);
}
INLINE vf factors_Q6_K(const uint8_t *at, const char *tail, vf *total) {
    const vf scale = v_set1(block_half(at + 208)) * v_load_i8((const int8_t *)at + 192);
    *total = v_fma(scale, (vf)v_get(tail), *total);
    return scale * (vf)v_get(tail + 64);
}

// Both products, with the units of the activations and with the sums of their groups, are computed at once. There are m rows of
// activations and `rows` rows of weights, `apart` bytes from each other, which share loads of the activations.
#define FACTOR_OF(type, v, r) (FACTORS(type) % 16 + START_##type((v) * PAIRED_##type, r) / GROUP_##type)
#define DOT_SPAN_AT_ONCE(type, ...)                                                                                            \
    INLINE void dot_all_##type(const int digits, const int m, const int rows, const uint8_t *at, size_t apart, const char *x, size_t x_row, vf *total) { \
        vf both[DOT_APART];                                                                                                   \
        UNROLL                                                                                                                 \
        for (int i = 0; i < m * rows; i++)                                                                                     \
            both[i] = factors_##type(at + (size_t)(i % rows) * apart, x + (size_t)(i / rows) * x_row + SUMS(type) * SUM_BYTES(type, digits), &total[i]); \
        UNROLL                                                                                                                 \
        for (int v = 0; v < SUMS(type); v++) {                                                                                 \
            UNROLL                                                                                                             \
            for (int i = 0; i < m * rows; i++) {                                                                               \
                vi w[2];                                                                                                       \
                sum_codes_##type(at + (size_t)(i % rows) * apart, v, w);                                                       \
                const char *from = x + (size_t)(i / rows) * x_row + v * SUM_BYTES(type, digits);                               \
                const vi sum = span_sum(PAIRED_##type, digits, DIGIT_BITS_##type, BY_LANE(type), from, w);                     \
                const vf s = v_spread_four(both[i], FACTOR_OF(type, v, 0), FACTOR_OF(type, v, 1), FACTOR_OF(type, v, 2), FACTOR_OF(type, v, 3)); \
                total[i] = v_fma(__builtin_convertvector(sum, vf), s, total[i]);                                               \
            }                                                                                                                  \
        }                                                                                                                      \
    }                                                                                                                          \
    INLINE void dot_span_##type(const int digits, const int m, const uint8_t *at, const char *x, size_t x_row, vf total[DOT_ROWS]) { \
        dot_all_##type(digits, m, 1, at, 0, x, x_row, total);                                                                  \
    }                                                                                                                          \
    INLINE int dot_apart_##type(const int digits, const uint8_t *row, size_t apart, const struct quant_rows *x, size_t n, float *acc) { \
        const char *at = x->x;                                                                                                 \
        vf total[DOT_APART] = {{0}};                                                                                          \
        for (size_t k = 0; k < n; k += BLOCKS_SPAN, row += ROW_SPAN(type), at += SPAN_BYTES(type, digits)) {                   \
            UNROLL                                                                                                             \
            for (size_t ahead = 0; ahead < ROW_SPAN(type); ahead += 64) {                                                      \
                UNROLL                                                                                                         \
                for (size_t r = 0; r < DOT_APART; r++) FETCH(row + r * apart + ROWS_AHEAD + ahead);                          \
            }                                                                                                                  \
            dot_all_##type(digits, 1, DOT_APART, row, apart, at, 0, total);                                                   \
        }                                                                                                                      \
        float finite = 0;                                                                                                      \
        for (int r = 0; r < DOT_APART; r++) acc[r] = sum_of(total[r]), finite += acc[r] - acc[r];                             \
        return finite == 0;                                                                                                    \
    }                                                                                                                          \
    static int blocks_beside_##type(const uint8_t *row, size_t apart, const struct quant_rows *x, size_t n, float *acc) {      \
        if (x->digits == 1) return dot_apart_##type(1, row, apart, x, n, acc);                                                 \
        return dot_apart_##type(DIGITS_##type, row, apart, x, n, acc);                                                         \
    }
BLOCK_TYPES(DOT_SPAN_AT_ONCE)
#define BLOCKS_BESIDE_ENTRY(type, ...) [CPU_##type] = blocks_beside_##type,
#define BLOCKS_BESIDE_ENTRIES BLOCK_TYPES(BLOCKS_BESIDE_ENTRY)

#else

#define BLOCKS_BESIDE_ENTRIES NULL

// The scales and offsets of a span, and of a sum by lane.
INLINE void span_Q8_0(const uint8_t *at, float *scale, float *offset) { eight_halves(at, 34, scale), (void)offset; }
INLINE vf sum_scales_Q8_0(const float *scale, int v) { return v_spread(PER(VL / 8), scale + v * VL / 8); }
INLINE void span_Q4_0(const uint8_t *at, float *scale, float *offset) { eight_halves(at, 18, scale), (void)offset; }
INLINE vf sum_scales_Q4_0(const float *scale, int v) { return v_spread(RUNS, scale + v * RUNS); }
INLINE void span_Q4_1(const uint8_t *at, float *scale, float *offset) { eight_halves(at, 20, scale), eight_halves(at + 2, 20, offset); }
INLINE vf sum_scales_Q4_1(const float *scale, int v) { return v_spread(RUNS, scale + v * RUNS); }
INLINE void span_Q4_K(const uint8_t *at, float *scale, float *offset) {
    uint64_t scales, minima;
    const vf d = v_set1(block_half(at)), m = v_set1(-block_half(at + 2));
    six_bits(at, &scales, &minima);
    for (int i = 0; i < 8; i += VL) {
        v_store(scale + i, d * v_of_bytes(scales >> 8 * i, 0));
        v_store(offset + i, m * v_of_bytes(minima >> 8 * i, 0));
    }
}
INLINE void span_Q6_K(const uint8_t *at, float *scale, float *offset) {
    const vf d = v_set1(block_half(at + 208));
    for (int i = 0; i < 16; i += VL) v_store(scale + i, d * v_load_i8((const int8_t *)at + 192 + i));
    (void)offset;
}
INLINE vf sum_scales_Q4_K(const float *scale, int v) {
    return v_set1(scale[RUN_Q4_K(v, 0) / 2 * 2 + v % 2]);
}
INLINE vf sum_scales_Q6_K(const float *scale, int v) { return v_spread(RUNS, scale + v * RUNS); }

// The sum of offsets times activations in a span.
INLINE vf add_offsets(const float *offset, const char *sums, vf total) {
    float s[SPAN_GROUPS];
    memcpy(s, sums, sizeof s);
    UNROLL
    for (int i = 0; i < SPAN_GROUPS; i += VL) total = v_fma(v_load(offset + i), v_load(s + i), total);
    return total;
}

#define DOT_SPAN(type, ...)                                                                                                    \
    INLINE void dot_span_##type(const int digits, const int m, const uint8_t *at, const char *x, size_t x_row, vf total[DOT_ROWS]) { \
        float scale[16], offset[16] = {0};                                                                                     \
        span_##type(at, scale, offset);                                                                                        \
        UNROLL                                                                                                                 \
        for (int v = 0; v < SUMS(type); v++) {                                                                                 \
            vi w[2];                                                                                                           \
            sum_codes_##type(at, v, w);                                                                                        \
            const vf s = sum_scales_##type(scale, v);                                                                          \
            UNROLL                                                                                                             \
            for (int r = 0; r < m; r++) {                                                                                      \
                const char *from = x + (size_t)r * x_row + v * SUM_BYTES(type, digits);                                        \
                const vf unit = (vf)v_get(from + (PAIRED_##type * digits + 1) * PLANE);                                        \
                const vi sum = span_sum(PAIRED_##type, digits, DIGIT_BITS_##type, BIAS_##type, from, w);                       \
                total[r] = v_fma(__builtin_convertvector(sum, vf), s * unit, total[r]);                                        \
            }                                                                                                                  \
        }                                                                                                                      \
        UNROLL                                                                                                                 \
        for (int r = 0; r < m && OFFSETS_##type; r++)                                                                          \
            total[r] = add_offsets(offset, x + (size_t)r * x_row + SUMS(type) * SUM_BYTES(type, digits), total[r]);            \
    }
BLOCK_TYPES(DOT_SPAN)

#endif

#define DOT_BLOCKS(type, bits, weights, bytes)                                                                                 \
    INLINE int dot_row_##type(const int digits, const int m, const uint8_t *row, const struct quant_rows *x, size_t n, float *acc) { \
        const size_t span = (size_t)BLOCKS_SPAN / weights * bytes;                                                             \
        const char *at = x->x;                                                                                                 \
        vf total[DOT_ROWS] = {{0}};                                                                                            \
        size_t k = 0;                                                                                                          \
        for (; k + BLOCKS_SPAN <= n; k += BLOCKS_SPAN, row += span, at += SPAN_BYTES(type, digits)) {                          \
            UNROLL                                                                                                             \
            for (size_t ahead = 0; ahead < span; ahead += 64) FETCH(row + ROWS_AHEAD + ahead);                               \
            dot_span_##type(digits, m, row, at, x->x_row, total);                                                              \
        }                                                                                                                      \
        if (k < n) {                                                                                                           \
            uint8_t rest[BLOCKS_SPAN / weights * bytes] = {0};                                                                 \
            memcpy(rest, row, (n - k) / weights * bytes);                                                                      \
            dot_span_##type(digits, m, rest, at, x->x_row, total);                                                             \
        }                                                                                                                      \
        float finite = 0, sums[DOT_ROWS];                                                                                      \
        for (int r = 0; r < m; r++) sums[r] = sum_of(total[r]), finite += sums[r] - sums[r];                                   \
        if (finite != 0) return 0;                                                                                             \
        for (int r = 0; r < m; r++) acc[r] += sums[r];                                                                         \
        return 1;                                                                                                              \
    }                                                                                                                          \
    static int dot_blocks_##type(const uint8_t *row, const struct quant_rows *x, int m, size_t n, float *acc) {                \
        const int two = m == DOT_ROWS;                                                                                         \
        if (x->digits == 1) return two ? dot_row_##type(1, DOT_ROWS, row, x, n, acc) : dot_row_##type(1, 1, row, x, n, acc);   \
        return two ? dot_row_##type(DIGITS_##type, DOT_ROWS, row, x, n, acc) : dot_row_##type(DIGITS_##type, 1, row, x, n, acc); \
    }
BLOCK_TYPES(DOT_BLOCKS)

#define SPAN_BYTES_ENTRY(type, ...) [CPU_##type] = SPAN_BYTES(type, DIGITS_##type),
#define ROUNDED_BYTES_ENTRY(type, ...) [CPU_##type] = SPAN_BYTES(type, 1),
// Pairs of products of larger digits and q8_0 codes would not fit into 16 bits.
#define PREPARE_ROUNDED_ENTRY(type, ...) [CPU_##type] = DIGIT_BITS_##type == 8 ? prepare_rounded_##type : NULL,
#define PREPARE_BLOCKS_ENTRY(type, ...) [CPU_##type] = prepare_blocks_##type,
#define DOT_BLOCKS_ENTRY(type, ...) [CPU_##type] = dot_blocks_##type,
