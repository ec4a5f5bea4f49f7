// Template: rows of activations in fixed point times rows of codes.
//
// A lane is the codes in 4 bytes, a group VL lanes. The activations of a lane become integers below 2^DOT_BITS, multiples of the lane's
// own power of two, in DIGITS signed digits of DIGIT_BITS bits, since instructions multiply bytes. So an activation is off by at most
// 2^-DOT_BITS of the largest in its lane, and the sum by Σ|w| times that: of k terms that is below 2^(3 - DOT_BITS) of Σ|a||w| where
// the weights of a lane are alike, and about 1/√k of it if roundings go either way. Integers are exact up to the sum of a lane.
#include "dots.h"

#define PLANE (4 * VL) // bytes of the codes, and of one digit of the activations, of a group
#define LANE_CODES(bits) (32 / (bits))
#define MAX_PARTS 4 // of a byte
#define DIGIT_HALF (1 << (DIGIT_BITS - 1))
#define DIGITS_HALF (DIGIT_HALF * (1 + (1 << DIGIT_BITS) + (1 << 2 * DIGIT_BITS)))
#define DOT_BITS (DIGITS * DIGIT_BITS - (DIGIT_BITS == 8 ? 3 : 2)) // of which the sum of a lane and its products fit into 32 bits
#define EXPONENT 0x7f800000
#define FAR_BELOW (40 << 23) // exponents smaller by this make no difference

INLINE vi power_of(vf x) { return (vi)x & EXPONENT; }
INLINE vf v_abs(vf x) { return (vf)((vi)x & 0x7fffffff); }

// One element of each lane side by side, from n ≤ count·VL floats: zipping halves log2(VL) times.
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

// Digit d of four integers as the bytes of a lane; the integers are `apart` in u.
INLINE vu digit_bytes(const vu *u, const int apart, const int d) {
    vu bytes = {0};
    UNROLL
    for (int i = 0; i < 4; i++)
        bytes |= (((u[i * apart] >> (d * DIGIT_BITS) & (2 * DIGIT_HALF - 1)) - DIGIT_HALF) & 255) << (8 * i);
    return bytes;
}

// What is added to codes so that v_dot takes them: of int4 8, of ternary codes the 1 that they are stored with.
INLINE int bias_of(const int bits) { return bits == 8 ? DOT_BIAS : bits == 4 ? 8 : 1; }

// A group: the planes of digits for the codes of each part of a byte, then by lane what the bias of codes adds, and the power of two
// in units of `unit`, which is the one of the largest activation.
INLINE void prepare_group(const int bits, const float *a, size_t n, vi unit, char *x) {
    const int count = LANE_CODES(bits), parts = 8 / bits;
    vf r[4 * MAX_PARTS], largest = {0};
    load_lanes(count, a, n, r);
    UNROLL
    for (int i = 0; i < count; i++) largest = v_max(v_abs(r[i]), largest);
    const vi power = (vi)v_max((vf)power_of(largest), (vf)(unit - FAR_BELOW));
    const vf each = (vf)((vu){0} + ((253u + DOT_BITS) << 23) - (vu)power);
    vi sum = {0};
    vu u[4 * MAX_PARTS];
    UNROLL
    for (int i = 0; i < count; i++) {
        const vi integer = __builtin_convertvector(v_rint(r[i] * each), vi);
        sum += integer;
        u[i] = (vu)(integer + DIGITS_HALF);
    }
    UNROLL
    for (int p = 0; p < parts; p++) {
        UNROLL
        for (int d = 0; d < DIGITS; d++, x += PLANE) v_put(x, (vi)digit_bytes(u + p, parts, d));
    }
    v_put(x, sum * -bias_of(bits));
    v_put(x + PLANE, power - unit + ((128 - DOT_BITS) << 23));
}

// Sums of blocks, in the unit.
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
    return finite == 0; // NaN otherwise
}

INLINE int dot_prepare(const int bits, const float *a, size_t block, size_t n, char *x, float *sums, float *unit) {
    const size_t group = (size_t)LANE_CODES(bits) * VL;
    vf all = {0};
    for (size_t i = 0; i < n; i += VL) all = v_max(v_abs(i + VL <= n ? v_load(a + i) : v_load_n(a + i, n - i)), all);
    float largest = 0;
    for (int l = 0; l < VL; l++) largest = fmaxf(largest, all[l]);
    if (!(largest > 0x1p-60f && largest < 0x1p60f)) return 0; // powers of two would not be floats
    const vi power = power_of(v_set1(largest));
    *unit = ((vf)power)[0];
    if (!block_sums(a, n, block, *unit, sums)) return 0;
    for (size_t i = 0; i < n; i += group, x += dot_group_bytes(bits, VL)) prepare_group(bits, a + i, n - i, power, x);
    return 1;
}

// The codes of a group as the bytes that v_dot takes, with their bias: where they are packed, those of each part of the bytes.
INLINE void load_codes(const int bits, const char *q, vi w[MAX_PARTS]) {
    const vu x = (vu)v_get(q), low = (vu){0} + (bits == 4 ? 0x0f0f0f0fu : 0x03030303u);
    if (bits == 8) {
        w[0] = (vi)(x ^ DOT_BIAS * 0x01010101u);
        return;
    }
    UNROLL
    for (int p = 0; p < 8 / bits; p++) w[p] = (vi)((x >> (p * bits) & low) ^ (bits == 4 ? 0x08080808u : 0));
}

// Adds the products of a group of codes, with `per` scales.
INLINE void dot_group(const int bits, const int m, const int per, const char *q, const float *scale, const char *x, size_t x_row,
                      vf total[DOT_ROWS]) {
    const int parts = 8 / bits;
    const vf s = v_spread(per, scale);
    vi w[MAX_PARTS];
    load_codes(bits, q, w);
    UNROLL
    for (int r = 0; r < m; r++) {
        const char *at = x + (size_t)r * x_row, *rest = at + parts * DIGITS * PLANE;
        vi sum = {0};
        UNROLL
        for (int d = DIGITS - 1; d >= 0; d--) {
            sum = (vi)((vu)sum << DIGIT_BITS);
            UNROLL
            for (int p = 0; p < parts; p++) sum = v_dot(sum, w[p], v_get(at + (p * DIGITS + d) * PLANE));
        }
        sum = (vi)((vu)sum + (vu)v_get(rest));
        total[r] = v_fma(__builtin_convertvector(sum, vf), s * (vf)v_get(rest + PLANE), total[r]);
    }
}

#define CODES_AHEAD 4096 // bytes of codes that are fetched before they are needed: processors' own prefetching ends with a page
#define SCALES_AHEAD 512 // the same of scales and zero points

// Subtracts for each row the sum over the blocks of scale · zero point · sum of the activations.
INLINE void dot_zeros(const int m, size_t blocks, const float *zero, const float *scale, const struct quant_rows *x,
                      vf total[DOT_ROWS]) {
    for (size_t b = 0; b < blocks; b += VL) {
        const size_t n = min_size(VL, blocks - b);
        const vf offset = v_load_n(scale + b, n) * v_load_n(zero + b, n);
        __builtin_prefetch((const char *)(scale + b) + SCALES_AHEAD);
        __builtin_prefetch((const char *)(zero + b) + SCALES_AHEAD);
        UNROLL
        for (int r = 0; r < m; r++) total[r] -= offset * v_load_n(x->sums + (size_t)r * x->sums_row + b, n);
    }
}

// A row of n codes in spans that share `per` scales. Returns 0 if a sum is not finite: products one by one tell what it becomes.
INLINE int dot_row(const int bits, const int m, const int per, const char *q, size_t block, const float *zero, const float *scale,
                   const struct quant_rows *x, size_t n, float *acc) {
    const size_t group = (size_t)LANE_CODES(bits) * VL, bytes = dot_group_bytes(bits, VL), span = per > 1 ? group : block;
    const char *at = x->x;
    vf total[DOT_ROWS] = {{0}};
    if (zero) dot_zeros(m, ceil_div(n, block), zero, scale, x, total);
    size_t i = 0;
    for (size_t left = span; i + group <= n; i += group, q += PLANE, at += bytes) {
        __builtin_prefetch(q + CODES_AHEAD, 0, 2); // to the second cache, which can wait for more lines at a time
        dot_group(bits, m, per, q, scale, at, x->x_row, total);
        if (per > 1) scale += per;
        else if ((left -= group) == 0) scale++, left = span;
    }
    if (i < n) {
        char codes[PLANE] = {0};
        float s[8] = {0};
        memcpy(codes, q, ((n - i) * (size_t)bits + 7) / 8);
        for (int b = 0; b < per; b++)
            if (b == 0 || i + (size_t)b * block < n) s[b] = scale[b];
        dot_group(bits, m, per, codes, s, at, x->x_row, total);
    }
    float finite = 0, sums[DOT_ROWS];
    for (int r = 0; r < m; r++) {
        sums[r] = sum_of(total[r]) * x->unit[r];
        finite += sums[r] - sums[r];
    }
    if (finite != 0) return 0;
    for (int r = 0; r < m; r++) acc[r] += sums[r];
    return 1;
}

// With the number of scales in a group as a constant.
INLINE int dot_scales(const int bits, const int m, const char *q, size_t block, const float *zero, const float *scale,
                      const struct quant_rows *x, size_t n, float *acc) {
    const size_t group = (size_t)LANE_CODES(bits) * VL;
    if (group >= 8 * DOT_BLOCK && 8 * block == group) return dot_row(bits, m, 8, q, block, zero, scale, x, n, acc);
    if (group >= 4 * DOT_BLOCK && 4 * block == group) return dot_row(bits, m, 4, q, block, zero, scale, x, n, acc);
    if (group >= 2 * DOT_BLOCK && 2 * block == group) return dot_row(bits, m, 2, q, block, zero, scale, x, n, acc);
    return dot_row(bits, m, 1, q, block, zero, scale, x, n, acc);
}

#define DOTS(type)                                                                                                          \
    static int dot_prepare_##type(const float *a, size_t block, size_t n, char *x, float *sums, float *unit) {              \
        return dot_prepare(cpu_type_bits(CPU_##type), a, block, n, x, sums, unit);                                                        \
    }                                                                                                                       \
    static int dots_##type(const void *q, size_t block, const float *zero, const float *scale, const struct quant_rows *x, \
                           int m, size_t n, float *acc) {                                                                   \
        if (m == DOT_ROWS) return dot_scales(cpu_type_bits(CPU_##type), DOT_ROWS, q, block, zero, scale, x, n, acc);                      \
        return dot_scales(cpu_type_bits(CPU_##type), 1, q, block, zero, scale, x, n, acc);                                                \
    }
DOT_TYPES(DOTS)

#define DOT_PREPARE_ENTRY(type) [CPU_##type] = dot_prepare_##type,
#define DOTS_ENTRY(type) [CPU_##type] = dots_##type,

// Planes for each part of a byte: that of code 4i + p is byte i of part p.
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

// A group of codes times rows of activations; each row has two sums, so that additions wait less for each other.
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
        __builtin_prefetch(q + CODES_AHEAD, 0, 2);
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

// Four products of bytes without a sign and with one: exact for any bytes, which v_dot is only where there is an instruction for it.
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
        .span_bytes = {BLOCK_TYPES(SPAN_BYTES_ENTRY)}, .prepare_blocks = {BLOCK_TYPES(PREPARE_BLOCKS_ENTRY)}, \
        .dot_blocks = {BLOCK_TYPES(DOT_BLOCKS_ENTRY)}, .dot_two = {DOT_TWO_ENTRIES}, .prepare_bits = prepare_bits, .dot_bits = dot_bits, \
        .dot_add = dot_add,                                                                                 \
    }
