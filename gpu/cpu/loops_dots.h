// Template: rows of activations in fixed point times rows of codes.
//
// A lane is the codes in 4 bytes; a group is VL lanes. The activations of a lane become integers, multiples of the lane's own
// unit, in signed digits of DIGIT_OF(bits) bits, since instructions multiply bytes. Two 8-bit digits suffice if all roundings of
// a row together are as small as those of a float sum of its products. Otherwise there are three, which always suffice: integers
// are below 2^DOT_BITS, the unit is a power of two, and the error of an activation is at most 2^-DOT_BITS of the largest in its
// lane; that of the sum is Σ|w| times as much. For k terms this is below 2^(3 - DOT_BITS) of Σ|a||w| if the weights of a lane are
// similar, and about 1/√k of that if roundings have random signs. Integers are exact up to the sum of a lane.
#include "dots.h"

#define PLANE (4 * VL) // bytes of the codes, and of one digit of the activations, of a group
#define LANE_CODES(bits) (32 / (bits))
#define MAX_PARTS 4 // in a byte
#define DIGIT_OF(bits) ((bits) == 8 ? DIGIT_BITS : 8) // sums of two products of shorter codes always fit into 16 bits
#define DIGIT_HALF(bits) (1 << (DIGIT_OF(bits) - 1))
#define DIGITS_HALF(bits, digits) (DIGIT_HALF(bits) * (1 + (1 << DIGIT_OF(bits)) + ((digits) == 3 ? 1 << 2 * DIGIT_OF(bits) : 0)))
#define TWO_MOST 32639.0f // the largest integer of two digits
#define DOT_BITS(bits) (DIGITS * DIGIT_OF(bits) - (DIGIT_OF(bits) == 8 ? 3 : 2)) // so that the sum of a lane and its products fit into 32 bits
#define EXPONENT 0x7f800000
#define FAR_BELOW 0x1p-40f // of the unit: smaller activations make no difference

INLINE vi power_of(vf x) { return (vi)x & EXPONENT; }
INLINE vf v_abs(vf x) { return (vf)((vi)x & 0x7fffffff); }

// One element of each lane, side by side, from n ≤ count·VL floats: zipping halves log2(VL) times.
INLINE void load_lanes(const int count, const float *a, size_t n, vf r[4 * MAX_PARTS]) {
    UNROLL
    for (int i = 0; i < count; i++) {
        const size_t at = (size_t)i * VL;
        r[i] = at + VL <= n ? v_load(a + at) : v_load_n(a + at, at < n ? n - at : 0);
    }
    UNROLL
    for (int step = 1; step < VL; step *= 2) {
        vf t[4 * MAX_PARTS];
        UNROLL
        for (int i = 0; i < count / 2; i++) {
            t[2 * i] = ZIP_LOW(r[i], r[i + count / 2]);
            t[2 * i + 1] = ZIP_HIGH(r[i], r[i + count / 2]);
        }
        UNROLL
        for (int i = 0; i < count; i++) r[i] = t[i];
    }
}

// Digit d of four integers as the bytes of a lane; the integers are `apart` from each other in u.
INLINE vu digit_bytes(const int bits, const vu *u, const int apart, const int d) {
    vu bytes = {0};
    UNROLL
    for (int i = 0; i < 4; i++)
        bytes |= (((u[i * apart] >> (d * DIGIT_OF(bits)) & (2 * DIGIT_HALF(bits) - 1)) - DIGIT_HALF(bits)) & 255) << (8 * i);
    return bytes;
}

// The bias that v_dot needs on codes: 8 for int4; for ternary codes, the 1 that they are stored with.
INLINE int bias_of(const int bits) { return bits == 8 ? DOT_BIAS : bits == 4 ? 8 : 1; }

// Accumulated while preparing: sums of squared roundings and of magnitudes.
struct rounding {
    vf square, size;
};

// Reports whether the roundings of n activations together are as small as those of a float sum of n products.
INLINE int rounding_fits(const struct rounding *e, size_t n) {
    const double k = (double)n, least = 0x1p-24, size = (double)sum_of(e->size);
    return (double)sum_of(e->square) <= k * least * least * size * size;
}

// The unit of a lane whose largest activation is `largest`, and the unit's inverse.
INLINE void lane_unit(const int bits, const int digits, vf largest, vf *unit, vf *each) {
    if (digits == 2) {
        *unit = largest * (1 / TWO_MOST);
        *each = TWO_MOST / v_max(largest, v_set1(SMALLEST));
        return;
    }
    const vu power = (vu)power_of(largest);
    *unit = (vf)(power + ((1u - DOT_BITS(bits)) << 23));
    *each = (vf)((vu){0} + ((253u + DOT_BITS(bits)) << 23) - power);
}

// Prepares a group: the planes of digits for each part of the codes' bytes, then, by lane, the contribution of the codes' bias,
// and the unit in multiples of `unit`, the power of two of the largest activation.
INLINE void prepare_group(const int bits, const int digits, const float *a, size_t n, float unit, char *x, struct rounding *e) {
    const int count = LANE_CODES(bits), parts = 8 / bits;
    vf r[4 * MAX_PARTS], largest = {0}, of, each;
    load_lanes(count, a, n, r);
    UNROLL
    for (int i = 0; i < count; i++) largest = v_max(v_abs(r[i]), largest);
    if (digits == 3) largest = v_max(largest, v_set1(unit * FAR_BELOW));
    lane_unit(bits, digits, largest, &of, &each);
    vi sum = {0};
    vu u[4 * MAX_PARTS];
    UNROLL
    for (int i = 0; i < count; i++) {
        const vf near = v_rint(r[i] * each), off = v_fma(near, -of, r[i]);
        const vi integer = __builtin_convertvector(near, vi);
        e->square = v_fma(off, off, e->square), e->size += v_abs(r[i]);
        sum += integer;
        u[i] = (vu)(integer + DIGITS_HALF(bits, digits));
    }
    UNROLL
    for (int p = 0; p < parts; p++) {
        UNROLL
        for (int d = 0; d < digits; d++, x += PLANE) v_put(x, (vi)digit_bytes(bits, u + p, parts, d));
    }
    v_put(x, sum * -bias_of(bits));
    v_put(x + PLANE, (vi)(of * (1 / unit)));
}

// Sums of blocks, in multiples of the unit.
INLINE int block_sums(const float *a, size_t n, size_t block, float unit, float *sums) {
    float finite = 0;
    for (size_t i = 0; i < n; sums++) {
        vf sum = {0};
        for (const size_t end = min_size(i + block, n); i < end;) {
            const size_t part = min_size(VL, end - i);
            sum += part == VL ? v_load(a + i) : v_load_n(a + i, part);
            i += part;
        }
        const float total = sum_of(sum);
        finite += total - total;
        *sums = total / unit;
    }
    return finite == 0; // otherwise it is NaN
}

INLINE int dot_prepare(const int bits, const int digits, const float *a, size_t block, size_t n, char *x, float *sums, float *unit) {
    const size_t group = (size_t)LANE_CODES(bits) * VL;
    vf all = {0};
    for (size_t i = 0; i < n; i += VL) all = v_max(v_abs(i + VL <= n ? v_load(a + i) : v_load_n(a + i, n - i)), all);
    float largest = 0;
    for (int l = 0; l < VL; l++) largest = fmaxf(largest, all[l]);
    if (!(largest > 0x1p-60f && largest < 0x1p60f)) return 0; // otherwise powers of two would not be floats
    struct rounding e = {{0}, {0}};
    *unit = ((vf)power_of(v_set1(largest)))[0];
    if (!block_sums(a, n, block, *unit, sums)) return 0;
    for (size_t i = 0; i < n; i += group, x += dot_group_bytes(bits, digits, VL)) prepare_group(bits, digits, a + i, n - i, *unit, x, &e);
    return digits == 3 || rounding_fits(&e, n);
}

// The codes of a group as the bytes that v_dot takes, with their bias; packed codes yield one vector for each part of the bytes.
INLINE void load_codes(const int bits, const char *q, vi w[MAX_PARTS]) {
    const vu flip = (vu){0} + (bits == 8 ? DOT_BIAS * 0x01010101u : bits == 4 ? 0x88888888u : 0), x = (vu)v_get(q) ^ flip;
    const vu low = (vu){0} + (bits == 4 ? 0x0f0f0f0fu : 0x03030303u);
    UNROLL
    for (int p = 0; p < 8 / bits; p++) w[p] = (vi)(bits == 8 ? x : x >> (p * bits) & low);
}

// The sums of the products of each lane.
INLINE vi lane_sums(const int bits, const int digits, const vi codes[MAX_PARTS], const char *x) {
    const int parts = 8 / bits;
#if defined(SHORT_SUMS)
    if (bits < 8 && digits < 3) { // the sums of all parts fit into int16
        v_shorts sum[2] = {{0}, {0}};
        UNROLL
        for (int i = 0; i < parts * digits; i++) sum[i % digits] += v_two_bytes(codes[i / digits], v_get(x + i * PLANE));
        return digits == 2 ? v_of_digits(sum[1], sum[0]) : v_add_shorts((vi){0}, sum[0]);
    }
#endif
    vi sum = {0};
    UNROLL
    for (int d = digits - 1; d >= 0; d--) {
        sum = (vi)((vu)sum << DIGIT_OF(bits));
        UNROLL
        for (int p = 0; p < parts; p++) sum = v_dot(sum, codes[p], v_get(x + (p * digits + d) * PLANE));
    }
    return sum;
}

// Adds the products of a group of codes of each row, with `per` scales. All rows of weights share loads of the activations.
INLINE void dot_group(const int bits, const int digits, const int m, const int rows, const int per, const struct dot_weights *w, const char *x, size_t x_row,
                      vf *total) {
    const int parts = 8 / bits;
    UNROLL
    for (int i = 0; i < m * rows; i++) {
        const size_t row = (size_t)(i % rows);
        const char *at = x + (size_t)(i / rows) * x_row, *rest = at + parts * digits * PLANE;
        vi codes[MAX_PARTS];
        load_codes(bits, w->q + row * w->apart, codes);
        const vi sum = (vi)((vu)lane_sums(bits, digits, codes, at) + (vu)v_get(rest));
        total[i] = v_fma(__builtin_convertvector(sum, vf), v_spread(per, w->scale + row * w->scales_apart) * (vf)v_get(rest + PLANE), total[i]);
    }
}

// Prefetch distance in bytes for each row read at a time: hardware prefetching stops at a page boundary. Lines go to L2, which
// can have more misses outstanding than L1.
#define ROWS_AHEAD 4096
#define CODES_AHEAD 2048 // for codes with separate scales: on Zen 5 twice the distance takes 1.02 to 1.1 times as long
#define CODES_NEAR 320
#define SCALES_AHEAD 64 // minimum of scales and zero points that are prefetched; those of a row, if it has more
#define FETCH(p) __builtin_prefetch(p, 0, 2)

// Subtracts from each row the sum over the blocks of scale · zero point · sum of the activations.
INLINE void dot_zeros(const int m, const int rows, const struct dot_weights *w, size_t blocks, const struct quant_rows *x, vf *total) {
    const size_t ahead = max_size(blocks, SCALES_AHEAD);
    for (size_t b = 0; b < blocks; b += VL) {
        const size_t n = min_size(VL, blocks - b);
        UNROLL
        for (int i = 0; i < m * rows; i++) {
            const size_t at = (size_t)(i % rows) * w->scales_apart + b;
            FETCH(w->scale + at + ahead);
            FETCH(w->zero + at + ahead);
            total[i] -= v_load_n(w->scale + at, n) * v_load_n(w->zero + at, n) * v_load_n(x->sums + (size_t)(i / rows) * x->sums_row + b, n);
        }
    }
}

// The last codes of each row, less than a group.
INLINE void dot_rest(const int bits, const int digits, const int m, const int rows, const int per, const struct dot_weights *w, const char *x, size_t x_row,
                     size_t n, vf *total) {
    char codes[DOT_APART][PLANE] = {{0}};
    float scale[DOT_APART][8] = {{0}};
    for (int r = 0; r < rows; r++) {
        memcpy(codes[r], w->q + (size_t)r * w->apart, (n * (size_t)bits + 7) / 8);
        for (int b = 0; b < per; b++)
            if (b == 0 || (size_t)b * w->block < n) scale[r][b] = w->scale[(size_t)r * w->scales_apart + (size_t)b];
    }
    const struct dot_weights rest = {.q = codes[0], .apart = PLANE, .scales_apart = 8, .scale = scale[0]};
    dot_group(bits, digits, m, rows, per, &rest, x, x_row, total);
}

// n codes of each row in spans that share `per` scales. Returns 0 if a sum is not finite: only separate products show what it
// becomes.
INLINE int dot_codes(const int bits, const int digits, const int m, const int rows, const int per, struct dot_weights w, const struct quant_rows *x, size_t n,
                    float *acc) {
    const size_t group = (size_t)LANE_CODES(bits) * VL, bytes = dot_group_bytes(bits, digits, VL), span = per > 1 ? group : w.block;
    const char *at = x->x;
    vf total[DOT_APART] = {{0}};
    if (w.zero) dot_zeros(m, rows, &w, ceil_div(n, w.block), x, total);
    size_t i = 0;
    for (size_t left = span; i + group <= n; i += group, w.q += PLANE, at += bytes) {
        UNROLL
        for (int r = 0; r < rows; r++) {
            FETCH(w.q + (size_t)r * w.apart + CODES_AHEAD);
            if (digits == 1) __builtin_prefetch(w.q + (size_t)r * w.apart + CODES_NEAR); // the loop is faster than memory
        }
        dot_group(bits, digits, m, rows, per, &w, at, x->x_row, total);
        if (per > 1) w.scale += per;
        else if ((left -= group) == 0) w.scale++, left = span;
    }
    if (i < n) dot_rest(bits, digits, m, rows, per, &w, at, x->x_row, n - i, total);
    float finite = 0, sums[DOT_APART];
    for (int j = 0; j < m * rows; j++) {
        sums[j] = sum_of(total[j]) * x->unit[j / rows];
        finite += sums[j] - sums[j];
    }
    if (finite != 0) return 0;
    for (int j = 0; j < m * rows; j++) acc[j] += sums[j];
    return 1;
}

// With the number of scales in a group as a constant.
INLINE int dot_scales(const int bits, const int digits, const int m, const int rows, const struct dot_weights *w, const struct quant_rows *x, size_t n,
                      float *acc) {
    const size_t group = (size_t)LANE_CODES(bits) * VL;
    if (group >= 8 * DOT_BLOCK && 8 * w->block == group) return dot_codes(bits, digits, m, rows, 8, *w, x, n, acc);
    if (group >= 4 * DOT_BLOCK && 4 * w->block == group) return dot_codes(bits, digits, m, rows, 4, *w, x, n, acc);
    if (group >= 2 * DOT_BLOCK && 2 * w->block == group) return dot_codes(bits, digits, m, rows, 2, *w, x, n, acc);
    return dot_codes(bits, digits, m, rows, 1, *w, x, n, acc);
}

// The number of digits of the prepared activations. Two digits of fewer than 8 bits never suffice.
#define TWO_DIGITS(bits, x) (DIGIT_OF(bits) == 8 && (x)->digits == 2)
#define DOTS(type)                                                                                                          \
    static int dot_prepare_##type(const float *a, int digits, size_t block, size_t n, char *x, float *sums, float *unit) {  \
        if (digits == 3) return dot_prepare(cpu_type_bits(CPU_##type), 3, a, block, n, x, sums, unit);                      \
        return DIGIT_OF(cpu_type_bits(CPU_##type)) == 8 && dot_prepare(cpu_type_bits(CPU_##type), 2, a, block, n, x, sums, unit);                    \
    }                                                                                                                       \
    static int dots_##type(const void *q, size_t block, const float *zero, const float *scale, const struct quant_rows *x,  \
                           int m, size_t n, float *acc) {                                                                   \
        const int bits = cpu_type_bits(CPU_##type);                                                                         \
        const struct dot_weights w = {q, 0, block, 0, scale, zero};                                                         \
        if (TWO_DIGITS(bits, x)) return m == 2 ? dot_scales(bits, 2, 2, 1, &w, x, n, acc) : dot_scales(bits, 2, 1, 1, &w, x, n, acc); \
        return m == 2 ? dot_scales(bits, 3, 2, 1, &w, x, n, acc) : dot_scales(bits, 3, 1, 1, &w, x, n, acc);                \
    }                                                                                                                       \
    static int beside_##type(const struct dot_weights *w, const struct quant_rows *x, size_t n, float *acc) {               \
        const int bits = cpu_type_bits(CPU_##type);                                                                         \
        for (int r = 0; r < DOT_APART; r++) acc[r] = 0;                                                                    \
        return TWO_DIGITS(bits, x) ? dot_scales(bits, 2, 1, DOT_APART, w, x, n, acc) : dot_scales(bits, 3, 1, DOT_APART, w, x, n, acc); \
    }
DOT_TYPES(DOTS)

#define DOT_PREPARE_ENTRY(type) [CPU_##type] = dot_prepare_##type,
#define DOTS_ENTRY(type) [CPU_##type] = dots_##type,
#define BESIDE_CODES_ENTRY(type) [CPU_##type] = beside_##type,

#include "loops_code_dots.h"

// Planes for each part of a byte: byte i of part p is the plane of code 4i + p.
static int32_t prepare_bits(const int8_t *a, size_t n, char *x) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i += MAX_PARTS * PLANE, x += MAX_PARTS * PLANE) {
        for (size_t b = 0; b < PLANE; b++) {
            for (size_t p = 0; p < MAX_PARTS; p++) {
                const size_t at = i + MAX_PARTS * b + p;
                const int8_t v = at < n ? a[at] : 0;
                x[p * PLANE + b] = (char)v, sum += (uint32_t)v;
            }
        }
    }
    return (int32_t)sum;
}

// A group of codes times rows of activations; each row has two sums, to shorten the dependency chains of additions.
INLINE void bits_group(const int m, const char *q, const char *x, size_t x_row, vi sum[GEMV_ROWS][2]) {
    vi w[MAX_PARTS];
    load_codes(2, q, w);
    UNROLL
    for (int r = 0; r < m; r++) {
        UNROLL
        for (int p = 0; p < MAX_PARTS; p++) sum[r][p % 2] = v_dot(sum[r][p % 2], w[p], v_get(x + (size_t)r * x_row + p * PLANE));
    }
}

INLINE void bits_row(const int m, const char *q, const char *x, size_t x_row, size_t n, int32_t *out) {
    const size_t group = MAX_PARTS * PLANE;
    vi sum[GEMV_ROWS][2] = {{{0}}};
    size_t i = 0;
    for (; i + group <= n; i += group, q += PLANE, x += group) {
        FETCH(q + ROWS_AHEAD);
        bits_group(m, q, x, x_row, sum);
    }
    if (i < n) {
        char codes[PLANE] = {0};
        memcpy(codes, q, (n - i + 3) / 4);
        bits_group(m, codes, x, x_row, sum);
    }
    for (int r = 0; r < m; r++) {
        const vu both = (vu)sum[r][0] + (vu)sum[r][1];
        uint32_t all = 0;
        for (int l = 0; l < VL; l++) all += both[l];
        out[r] = (int32_t)all;
    }
}

static void dot_bits(const char *q, const char *x, size_t x_row, int m, size_t n, int32_t *sum) {
    switch (m) {
    case 4: bits_row(4, q, x, x_row, n, sum); break;
    case 3: bits_row(3, q, x, x_row, n, sum); break;
    case 2: bits_row(2, q, x, x_row, n, sum); break;
    default: bits_row(1, q, x, x_row, n, sum);
    }
}

// Four products of unsigned and signed bytes: exact for any bytes, unlike v_dot without an instruction for it.
INLINE vu dot_any_bytes(vu sum, vu b, vu w) {
#if defined(BYTE_PRODUCTS)
    return (vu)v_dot((vi)sum, (vi)b, (vi)w);
#else
    UNROLL
    for (int k = 0; k < 32; k += 8) sum += (b >> k & 255) * (vu)((vi)(w << (24 - k)) >> 24);
    return sum;
#endif
}

#define DOT_ADD_CHAINS 12

static void dot_add(const int8_t *x, uint32_t *out, size_t n, uint32_t steps) {
    for (size_t i = 0; i < n; i += DOT_ADD_CHAINS * VL) {
        vu y[DOT_ADD_CHAINS] = {{0}}, w[DOT_ADD_CHAINS];
        const size_t bytes = 4 * min_size(DOT_ADD_CHAINS * VL, n - i);
        memcpy(y, x + 4 * i, bytes);
        memcpy(w, y, sizeof w);
        for (uint32_t s = 0; s < steps; s++) {
            UNROLL
            for (int c = 0; c < DOT_ADD_CHAINS; c++) y[c] = dot_any_bytes(y[c], y[c], w[c]);
        }
        memcpy(out + i, y, bytes);
    }
}

#define DOT_LOOPS                                                                                       \
    {                                                                                                   \
        .prepare = {DOT_TYPES(DOT_PREPARE_ENTRY)}, .dot = {DOT_TYPES(DOTS_ENTRY)},                      \
        .beside = {DOT_TYPES(BESIDE_CODES_ENTRY)},                                                      \
        .span_bytes = {BLOCK_TYPES(SPAN_BYTES_ENTRY)}, .prepare_blocks = {BLOCK_TYPES(PREPARE_BLOCKS_ENTRY)}, \
        .rounded_bytes = {BLOCK_TYPES(ROUNDED_BYTES_ENTRY)}, .prepare_rounded = {BLOCK_TYPES(PREPARE_ROUNDED_ENTRY)},   \
        .dot_blocks = {BLOCK_TYPES(DOT_BLOCKS_ENTRY)}, .blocks_beside = {BLOCKS_BESIDE_ENTRIES}, .prepare_bits = prepare_bits, .dot_bits = dot_bits, \
        .dot_add = dot_add, .code_digits = {[CPU_I8] = CODE_DIGITS(8), [CPU_I4] = CODE_DIGITS(4)},                                                     \
        .prepare_codes = {[CPU_I8] = prepare_codes_I8, [CPU_I4] = prepare_codes_I4}, .dot_codes = {[CPU_I8] = code_dots_I8, [CPU_I4] = code_dots_I4}, \
    }
