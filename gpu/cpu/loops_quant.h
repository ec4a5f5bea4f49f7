// Template: quantized numbers.
#include "quant.h"

#define IS_MINIFLOAT(type) ((type) == CPU_E4M3 || (type) == CPU_E5M2)

// Levels are codes less the zero point, of some types in units of a power of two.
INLINE float unit_of(const int type) { return type == CPU_E4M3 ? 256 : 1; }

// A float of eight bits, of which `significand` are those of the significand, and 2^lowest is the smallest normal value.
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

// The levels of a block for v_level: its zero point, or, if there is a look-up for int4, every code less the zero point.
INLINE vf v_levels(const int type, float zero) {
#if defined(LOOKUP_I4)
    if (type == CPU_I4) return v_all_i4() - v_set1(zero);
#endif
    return v_set1(zero);
}

// Bytes with their sign as 16 bits each, for two vectors.
#if !defined(WIDEN_TWO)
INLINE v_shorts_two v_widen_two(const uint8_t *p) {
    v_bytes_two b;
    memcpy(&b, p, sizeof b);
    return __builtin_convertvector(b, v_shorts_two);
}
#endif

// Two vectors of halves by way of memory: conversions that load leave the unit that moves between lanes alone.
INLINE void v_halves_to_floats(v_halves_two h, vf *x, vf *y) {
    uint16_t memory[2 * VL] __attribute__((aligned(64)));
    memcpy(memory, &h, sizeof h);
    __asm__("" : "+m"(memory));
    *x = v_load_f16(memory), *y = v_load_f16(memory + VL);
}

// The bits of e4m3 in those of a half are worth 2^-8 of it. Adding a step to NaN, and to no other code, carries into the exponent's first
// bit, which is a copy of the sign before.
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

// VL codes from i on, less the zero point; the first begins in a new byte. Those of floats come two vectors at a time alone.
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

// Elements [first, last) of one block, to out; vectors of codes begin in a new byte.
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

#define LEVELS_AHEAD 2048 // bytes of codes that are fetched before they are needed: processors' own prefetching ends with a page

// acc[r] += a[r]·w over the n elements of a row of weights w, for rows r < m of a. Each block is converted in registers
// and multiplied as it is, then scaled as a sum, unless the scale is infinite or NaN: a sum would hide that 0·∞ is NaN.
// Blocks begin in a new byte.
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

#define RANGE_AHEAD 4096 // elements that are fetched into the second cache before they are needed: processors' own prefetching ends with a page

// Vectors of distances from each other fold to one, whose lanes are the largest of each.
#define FOLD(r, d) \
    UNROLL         \
    for (int i = 0; i < (d); i++) r[i] = v_max(KEPT(r[i], r[i + (d)], d), SWAPPED(r[i], r[i + (d)], d));

// The lowest and the highest of VL/2 blocks at most, of n elements together.
INLINE void some_ranges(const float *x, size_t n, size_t block, float *lo, float *hi) {
    vf r[VL];
    float all[VL];
    for (size_t b = 0; b < VL / 2; b++) {
        const size_t last = min_size((b + 1) * block, n);
        vf low = v_set1(INFINITY), high = v_set1(-INFINITY);
        for (size_t i = b * block; i + VL <= last; i += VL) {
            __builtin_prefetch(x + i + RANGE_AHEAD, 0, 2);
            low = v_min(v_load(x + i), low);
            high = v_max(v_load(x + i), high);
        }
        r[b] = -low, r[VL / 2 + b] = high;
    }
#if VL > 8
    FOLD(r, 8)
#endif
#if VL > 4
    FOLD(r, 4)
#endif
    FOLD(r, 2)
    FOLD(r, 1)
    v_store(all, r[0]);
    for (size_t b = 0; b < VL / 2; b++) lo[b] = -all[b], hi[b] = all[VL / 2 + b];
    if (block % VL == 0 && n % VL == 0) return;
    for (size_t b = 0; b < ceil_div(n, block); b++) {
        const size_t last = min_size((b + 1) * block, n);
        for (size_t i = b * block + (last - b * block) / VL * VL; i < last; i++) {
            if (x[i] < lo[b]) lo[b] = x[i];
            if (x[i] > hi[b]) hi[b] = x[i];
        }
    }
}

static void ranges(const float *x, size_t n, size_t block, struct spans *to) {
    for (size_t first = 0, b = 0; first < n; b += VL / 2) {
        const size_t part = n - first > VL / 2 * block ? VL / 2 * block : n - first;
        some_ranges(x + first, part, block, to->lo + b, to->hi + b);
        first += part;
    }
}

INLINE vd v_choose(vl mask, vd a, vd b) { return (vd)(((vl)a & mask) | ((vl)b & ~mask)); }
INLINE vd v_size(vd x) { return (vd)((vl)x & INT64_MAX); }
INLINE vd v_wide(const float *p) {
    vf_half x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vd);
}
INLINE void v_narrow(float *p, vd x) {
    const vf_half narrow = __builtin_convertvector(x, vf_half);
    memcpy(p, &narrow, sizeof narrow);
}

// Scales and zero points of VL/2 blocks, computed in double so that hi − lo cannot overflow.
INLINE void some_scales(const struct coding *c, int centered, vd lo, vd hi, const double *mean, float *scale, float *zero) {
    const vd one = (vd){0} + 1;
    vd span = hi - lo;
    if (centered) span = v_choose(v_size(lo) > v_size(hi), v_size(lo), v_size(hi));
    if (c->mean) memcpy(&span, mean, sizeof span);
    vd s = c->mean ? span : span / (centered ? c->top : c->top - c->bottom);
    const vl small = s < SMALLEST, same = (vl)(lo == hi) & (c->mean ? 0 : -1);
    const vd z = centered || c->mean ? (vd){0} : v_choose(small | same, (vd){0}, c->bottom - lo / s);
    s = v_choose(small, one, s);
    s = v_choose(same, v_choose(v_size(lo) >= SMALLEST, lo, one), s);
    v_narrow(scale, s);
    v_narrow(zero, z);
}

static void scales(const struct coding *c, int centered, const struct spans *x, size_t count, struct scales *to) {
    int far = 0;
    for (size_t b = 0; b < count; b += VL / 2) {
        vf_half s;
        some_scales(c, centered, v_wide(x->lo + b), v_wide(x->hi + b), x->mean + b, to->scale + b, to->zero + b);
        memcpy(&s, to->scale + b, sizeof s);
        const vf_half inverse = 1 / s, size = (vf_half)((vi_half)s & INT32_MAX);
        memcpy(to->inverse + b, &inverse, sizeof inverse);
        const vi_half near = (size < FAR) & (size > 1 / FAR);
        for (int i = 0; i < VL / 2; i++) far |= ~near[i];
    }
    to->far = far != 0;
}

static float magnitudes(const float *x, size_t n) {
    vf sum[4] = {{0}};
    float rest = 0;
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (int v = 0; v < 4; v++) sum[v] += (vf)((vi)v_load(x + i + v * VL) & 0x7fffffff);
    }
    for (; i < n; i++) rest += fabsf(x[i]);
    return sum_of((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

// How vectors become codes. A division takes many cycles: where nothing overflows or vanishes there is an inverse instead.
struct coder {
    vf scale, inverse, zero, bottom, top;
};

INLINE struct coder coder_of(const int type, const struct scales *s, size_t b) {
    return (struct coder){v_set1(s->scale[b]), v_set1(s->inverse[b]), v_set1(s->zero[b]), v_set1(codings[type].bottom), v_set1(codings[type].top)};
}

INLINE vi code_of(const int near, vf x, const struct coder *c) {
    const vf at = near ? v_fma(x, c->inverse, c->zero) : x / c->scale + c->zero;
    return __builtin_convertvector(v_rint(v_min(c->top, v_max(c->bottom, at))), vi);
}

// x/scale, but for an error of one unit in the last place of one in many millions.
INLINE vf v_quotient(const int near, vf x, const struct coder *c) {
    if (!near) return x / c->scale;
    const vf q = x * c->inverse;
    return v_fma(v_fma(-q, c->scale, x), c->inverse, q);
}

// n codes of x, a byte each.
INLINE void make_codes(const int near, const float *x, const struct coder *c, size_t n, int8_t *q) {
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        const codes code = __builtin_convertvector(code_of(near, v_load(x + i), c), codes);
        memcpy(q + i, &code, VL);
    }
    if (i == n) return;
    const codes code = __builtin_convertvector(code_of(near, v_load_n(x + i, n - i), c), codes);
    memcpy(q + i, &code, n - i);
}

// Codes of 4 or 2 bits, with `offset` added, packed to whole bytes: neighbors are halves of 64 bits.
INLINE void pack_codes(const int bits, const int offset, vi code, uint8_t *q) {
    const uint64_t mask = (1u << bits) - 1;
    const v_pairs pair = (v_pairs)(code + offset);
    const v_bytes_half packed = __builtin_convertvector((pair & mask) | (pair >> (32 - bits) & mask << bits), v_bytes_half);
    if (bits == 4) {
        memcpy(q, &packed, VL / 2);
        return;
    }
    uint64_t word = 0;
    memcpy(&word, &packed, VL / 2);
    word = (word | word >> 4) & 0x00ff00ff00ff00ff;
    word = (word | word >> 8) & 0x0000ffff0000ffff;
    word |= word >> 16;
    memcpy(q, &word, VL / 4);
}

// Codes that are missing in the last byte are 0 bits.
INLINE void make_packed(const int near, const int bits, const int offset, const float *x, const struct coder *c, size_t n, uint8_t *q) {
    const size_t each = 8 / (size_t)bits;
    size_t i = 0;
    for (; i + VL <= n; i += VL) pack_codes(bits, offset, code_of(near, v_load(x + i), c), q + i / each);
    if (i == n) return;
    vi code = code_of(near, v_load_n(x + i, n - i), c);
    for (size_t k = n - i; k < VL; k++) code[k] = -offset;
    uint8_t bytes[VL / 2];
    pack_codes(bits, offset, code, bytes);
    memcpy(q + i / each, bytes, ceil_div(n - i, each));
}

INLINE void make_I8(const int near, const float *x, const struct coder *c, size_t n, uint8_t *q) { make_codes(near, x, c, n, (int8_t *)q); }
INLINE void make_I4(const int near, const float *x, const struct coder *c, size_t n, uint8_t *q) { make_packed(near, 4, 0, x, c, n, q); }
INLINE void make_TERNARY(const int near, const float *x, const struct coder *c, size_t n, uint8_t *q) { make_packed(near, 2, 1, x, c, n, q); }

// The bits of a float are rounded where the significand of the code ends, or below the smallest normal value, 2^lowest, the number of
// its steps.
INLINE vu minifloat_bits(const int significand, const int lowest, vf y, const struct coder *c) {
    const int dropped = 23 - significand;
    const vf size = v_min(c->top, (vf)((vi)y & 0x7fffffff));
    const vu all = (vu)size;
    const vu normal = ((all + ((1u << (dropped - 1)) - 1) + (all >> dropped & 1)) >> dropped) - ((uint32_t)(126 + lowest) << significand);
    const vu few = (vu)__builtin_convertvector(v_rint(size * v_set1((float)(1 << (significand - lowest)))), vi);
    const vu small = (vu)(size < v_set1(1.0f / (float)(1 << -lowest)));
    return ((vu)y >> 24 & 128) | (few & small) | (normal & ~small);
}

INLINE v_bytes minifloats(const int near, const int significand, const int lowest, vf x, const struct coder *c) {
    return __builtin_convertvector(minifloat_bits(significand, lowest, v_quotient(near, x, c), c), v_bytes);
}

INLINE void make_minifloats(const int near, const int significand, const int lowest, const float *x, const struct coder *c, size_t n, uint8_t *q) {
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        const v_bytes code = minifloats(near, significand, lowest, v_load(x + i), c);
        memcpy(q + i, &code, VL);
    }
    if (i == n) return;
    const v_bytes code = minifloats(near, significand, lowest, v_load_n(x + i, n - i), c);
    memcpy(q + i, &code, n - i);
}

INLINE void make_E4M3(const int near, const float *x, const struct coder *c, size_t n, uint8_t *q) { make_minifloats(near, 3, -6, x, c, n, q); }
INLINE void make_E5M2(const int near, const float *x, const struct coder *c, size_t n, uint8_t *q) { make_minifloats(near, 2, -14, x, c, n, q); }

INLINE void put_int8(uint8_t *q, vi x, const int stream) {
    if (stream) v_stream((float *)(void *)q, (vf)x);
    else v_put((char *)q, x);
}
INLINE void put_int4(uint8_t *q, vi x, const int stream) {
    const v_halves_two pair = (v_halves_two)v_clamp_i4(x);
    const v_bytes_two packed = __builtin_convertvector((pair & 15) | (pair >> 4 & 0xf0), v_bytes_two);
    if (stream) v_stream_half(q, packed);
    else memcpy(q, &packed, sizeof packed);
}

// Codes of whole fours of vectors, and how many there are. Blocks have 1 << shift elements. What comes after these is fetched meanwhile.
INLINE size_t quantize_fours(const int bits, const float *x, const struct scales *s, const unsigned shift, size_t n, uint8_t *q,
                             const int stream) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        vf at[4];
        UNROLL
        for (int v = 0; v < 4; v++) {
            const size_t e = i + (size_t)(v * VL), b = e >> shift;
            if (v * VL % 16 == 0) __builtin_prefetch(x + n + e);
            at[v] = v_fma(v_load(x + e), v_set1(s->inverse[b]), v_set1(s->zero[b]));
        }
        const vi c = v_round_four(at);
        if (bits == 8) put_int8(q + i, c, stream);
        else put_int4(q + i / 2, c, stream);
    }
    return i;
}

// The same where blocks have whole vectors and all inverses will do; otherwise there are none.
INLINE size_t quantize_most(const int bits, const float *x, const struct scales *s, size_t block, size_t n, uint8_t *q, int stream) {
    const int one = block >= n;
    if (s->far || !(one || (block % VL == 0 && (block & (block - 1)) == 0))) return 0;
    const unsigned shift = one ? 63 : (unsigned)__builtin_ctzll(block);
    const int aligned = (uintptr_t)q % (4 * VL) == 0;
    if (STREAMS && stream && aligned) return quantize_fours(bits, x, s, shift, n, q, 1);
    return quantize_fours(bits, x, s, shift, n, q, 0);
}

// From element i on, block by block; `make` takes one of them, whose first code is in a new byte.
#define EACH_BLOCK(type, make, i)                                                                         \
    for (size_t b = (i) / block, end; (i) < n; b++, (i) = end) {                                          \
        const struct coder c = coder_of(CPU_##type, s, b);                                                \
        end = (b + 1) * block < n ? (b + 1) * block : n;                                                  \
        uint8_t *to = (uint8_t *)q + (i) * (size_t)cpu_type_bits(CPU_##type) / 8;                         \
        if (is_near(s->scale[b])) make(1, x + (i), &c, end - (i), to);                                    \
        else make(0, x + (i), &c, end - (i), to);                                                         \
    }

#define HAS_FOURS(type) (CPU_##type == CPU_I8 || CPU_##type == CPU_I4)
#define QUANTIZE(type)                                                                                                        \
    static void quantize_##type(const float *x, const struct scales *s, size_t block, size_t n, void *q, int stream) {       \
        size_t i = HAS_FOURS(type) ? quantize_most(cpu_type_bits(CPU_##type), x, s, block, n, q, stream) : 0;                \
        EACH_BLOCK(type, make_##type, i)                                                                                      \
    }
QUANT_TYPES(QUANTIZE)

static void quant_fence(void) { v_fence(); }

#define DEQUANT_ENTRY(type) [CPU_##type] = dequant_##type,
#define DOT_ENTRY(type) [CPU_##type] = quant_dot_##type,
#define QUANTIZE_ENTRY(type) [CPU_##type] = quantize_##type,
static const struct quant_loops quant_loops = {
    .dequant = {QUANT_TYPES(DEQUANT_ENTRY)},
    .dot = {QUANT_TYPES(DOT_ENTRY)},
    .quantize = {QUANT_TYPES(QUANTIZE_ENTRY)},
    .fence = quant_fence,
    .ranges = ranges,
    .scales = scales,
    .magnitudes = magnitudes,
};
