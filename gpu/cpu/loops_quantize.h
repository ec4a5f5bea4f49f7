// Template: quantizing floats.

#define RANGE_AHEAD 4096 // elements by which L2 prefetches run ahead: hardware prefetching stops at a page boundary

// Combines lanes `d` apart with `op`, in vectors of r that are `d` apart.
#define FOLD(op, r, d) \
    UNROLL             \
    for (int i = 0; i < (d); i++) r[i] = op(KEPT(r[i], r[i + (d)], d), SWAPPED(r[i], r[i + (d)], d));
#if VL == 16
#define FOLD_ALL(op, r) FOLD(op, r, 4) FOLD(op, r, 2) FOLD(op, r, 1)
#elif VL == 8
#define FOLD_ALL(op, r) FOLD(op, r, 2) FOLD(op, r, 1)
#else
#define FOLD_ALL(op, r) FOLD(op, r, 1)
#endif

// The negated smallest lane of each of VL/2 vectors, then the largest of each of VL/2 others.
INLINE vf v_fold(vf low[VL / 2], vf high[VL / 2]) {
    FOLD_ALL(v_min, low)
    FOLD_ALL(v_max, high)
    vf ends[2] = {-low[0], high[0]};
    return v_max(KEPT(ends[0], ends[1], VL / 2), SWAPPED(ends[0], ends[1], VL / 2));
}

// The negated minimum and the maximum of up to VL/2 blocks with n elements in all, without partial vectors.
INLINE vf vector_ranges(const float *x, size_t n, size_t block) {
    vf low[VL / 2], high[VL / 2];
    for (size_t b = 0; b < VL / 2; b++) {
        const size_t last = min_size((b + 1) * block, n);
        low[b] = v_set1(b * block < n ? INFINITY : 1), high[b] = v_set1(b * block < n ? -INFINITY : 1); // any scale where a block does not exist
        for (size_t i = b * block; i + VL <= last; i += VL) {
            __builtin_prefetch(x + i + RANGE_AHEAD, 0, 2);
            low[b] = v_min(v_load(x + i), low[b]);
            high[b] = v_max(v_load(x + i), high[b]);
        }
    }
    return v_fold(low, high);
}

// The same for VL/2 whole blocks of a constant length of at least 32 elements.
INLINE vf even_ranges(const size_t block, const float *x) {
    vf low[VL / 2], high[VL / 2];
    UNROLL
    for (int b = 0; b < VL / 2; b++, x += block) {
        low[b] = v_min(v_load(x), v_set1(INFINITY)), high[b] = v_max(v_load(x), v_set1(-INFINITY)); // ignores NaN, as above
        UNROLL
        for (size_t i = 0; i < block; i += VL) {
            if (i * sizeof *x % 64 == 0) __builtin_prefetch(x + i + RANGE_AHEAD, 0, 2);
            if (i == 0) continue;
            low[b] = v_min(v_load(x + i), low[b]);
            high[b] = v_max(v_load(x + i), high[b]);
        }
    }
    return v_fold(low, high);
}

INLINE void some_ranges(const float *x, size_t n, size_t block, float *lo, float *hi) {
    const int whole = n == VL / 2 * block;
    vf all;
    if (whole && block == 32) all = even_ranges(32, x); // the most common block lengths
    else if (whole && block == 64) all = even_ranges(64, x);
    else if (whole && block == 128) all = even_ranges(128, x);
    else all = vector_ranges(x, n, block);
    vf_half half[2];
    memcpy(half, &all, sizeof all);
    half[0] = -half[0];
    memcpy(lo, &half[0], sizeof half[0]), memcpy(hi, &half[1], sizeof half[1]);
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
#ifndef OWN_WIDE
INLINE vd v_wide(const float *p) {
    vf_half x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vd);
}
#endif
INLINE void v_narrow(float *p, vd x) {
    const vf_half narrow = __builtin_convertvector(x, vf_half);
    memcpy(p, &narrow, sizeof narrow);
}

// The number of scale steps in a span, its inverse, the lowest code, and whether the scale is the mean.
struct steps {
    double count, inverse, bottom;
    int mean, centered;
};

INLINE struct steps steps_of(const struct coding *c, int centered) {
    const double count = c->mean ? 1 : centered ? c->top : c->top - c->bottom;
    return (struct steps){count, 1 / count, c->bottom, c->mean, centered};
}

// The range of a block, its largest magnitude or its mean: what is divided by the number of steps.
INLINE vd span_of(const struct steps *c, vd lo, vd hi, const double *mean) {
    vd span = hi - lo;
    if (c->centered) span = v_choose(v_size(lo) > v_size(hi), v_size(lo), v_size(hi));
    if (c->mean) memcpy(&span, mean, sizeof span);
    return span;
}

#define MAX_HALF 65504 // the largest number of f16

// The nearest finite f16 values.
INLINE vd v_half(vd x) {
    const vd most = (vd){0} + MAX_HALF;
    float wide[VL] = {0};
    uint16_t half[VL];
    v_narrow(wide, v_choose(x > most, most, v_choose(x < -most, -most, x)));
    v_store_f16(half, v_load(wide));
    v_store(wide, v_load_f16(half));
    return v_wide(wide);
}

// f16 scales and zero points of VL/2 blocks, with the same divisions as quant.Format, so that they are equal.
INLINE void some_half_scales(const struct steps *c, vd lo, vd hi, const double *mean, float *scale, float *zero) {
    const vd none = {0}, one = none + 1;
    const vl same = (vl)(lo == hi) & (c->mean ? 0 : -1);
    const vd s = v_half(v_choose(same, lo, span_of(c, lo, hi, mean) / c->count));
    const vl small = v_choose(same, v_size(s), s) < SMALLEST;
    const vd kept = v_choose(small, one, s);
    v_narrow(scale, kept);
    v_narrow(zero, c->centered ? none : v_choose(small | same, none, v_half(c->bottom - lo / kept)));
}

// The same in f32, computed in double so that hi − lo cannot overflow.
INLINE void some_scales(const struct steps *c, vd lo, vd hi, const double *mean, float *scale, float *zero) {
    const vd none = {0}, one = none + 1, span = span_of(c, lo, hi, mean);
    vd s = span * c->inverse;
    const vl small = s < SMALLEST, same = (vl)(lo == hi) & (c->mean ? 0 : -1);
    const vd z = c->centered ? none : v_choose(small | same, none, c->bottom - lo * (c->count / span));
    s = v_choose(small, one, s);
    s = v_choose(same, v_choose(v_size(lo) >= SMALLEST, lo, one), s);
    v_narrow(scale, s);
    v_narrow(zero, z);
}

// Lanes whose magnitude is below a number.
INLINE vi_half v_below(const float *p, float most) {
    vf_half x;
    memcpy(&x, p, sizeof x);
    return (vf_half)((vi_half)x & INT32_MAX) < most;
}

static void scales(const struct coding *c, int centered, int half, const struct spans *x, size_t count, struct scales *to) {
    const struct steps steps = steps_of(c, centered);
    vi_half near = {0};
    near = ~near;
    for (size_t b = 0; b < count; b += VL / 2) {
        vf_half s;
        const vd lo = v_wide(x->lo + b), hi = v_wide(x->hi + b);
        if (half) some_half_scales(&steps, lo, hi, x->mean + b, to->scale + b, to->zero + b);
        else some_scales(&steps, lo, hi, x->mean + b, to->scale + b, to->zero + b);
        memcpy(&s, to->scale + b, sizeof s);
        const vf_half inverse = 1 / s, size = (vf_half)((vi_half)s & INT32_MAX);
        memcpy(to->inverse + b, &inverse, sizeof inverse);
        near &= (size < FAR) & (size > 1 / FAR);
        if (half) near &= (size < MAX_HALF) & v_below(to->zero + b, MAX_HALF);
    }
    uint64_t all = UINT64_MAX, two[VL / 4];
    memcpy(two, &near, sizeof two);
    for (int i = 0; i < VL / 4; i++) all &= two[i];
    to->far = all != UINT64_MAX;
}

INLINE vf v_magnitude(vf x) { return (vf)((vi)x & 0x7fffffff); }

// The sum of n magnitudes, in lanes.
INLINE vf block_magnitudes(const float *x, size_t n) {
    vf sum[4] = {{0}};
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        UNROLL
        for (int v = 0; v < 4; v++) {
            if (v * VL % 16 == 0) __builtin_prefetch(x + i + v * VL + RANGE_AHEAD, 0, 2);
            sum[v] += v_magnitude(v_load(x + i + v * VL));
        }
    }
    for (; i + VL <= n; i += VL) sum[0] += v_magnitude(v_load(x + i));
    if (i < n) sum[1] += v_magnitude(v_load_n(x + i, n - i));
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static float magnitudes(const float *x, size_t n) { return sum_of(block_magnitudes(x, n)); }

// For VL blocks at a time.
static void means(const float *x, size_t n, size_t block, struct spans *to) {
    for (size_t b = 0; b * block < n; b += VL) {
        vf sum[VL];
        float size[VL];
        for (size_t i = 0; i < VL; i++) {
            const size_t first = min_size((b + i) * block, n);
            sum[i] = block_magnitudes(x + first, min_size(block, n - first));
        }
        v_store(size, sums_of(sum));
        for (size_t i = 0; i < VL && (b + i) * block < n; i++) to->mean[b + i] = size[i] / (double)min_size(block, n - (b + i) * block);
    }
}

// How vectors become codes. Division takes many cycles: where nothing overflows or underflows, an inverse is used instead.
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

// x/scale, except for an error of one unit in the last place in one of many millions.
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

// Missing codes in the last byte are 0 bits.
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

// Rounds the bits of a float where the significand of the code ends or, below the smallest normal value 2^lowest, to its number
// of steps.
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
    const v_halves_two pair = (v_halves_two)v_clamp_bytes(x, -8, 7);
    const v_bytes_two packed = __builtin_convertvector((pair & 15) | (pair >> 4 & ~15), v_bytes_two);
    if (stream) v_stream_half(q, packed);
    else memcpy(q, &packed, sizeof packed);
}

// The output is small: it stays in the caches.
INLINE void put_ternary(uint8_t *q, vi x) {
    const vu three = (vu){0} + 0x03030303u, one = (vu){0} + 0x01010101u;
    const vu code = (((vu)v_clamp_bytes(x, -1, 1) & three) + one) & three;
    const v_bytes packed = __builtin_convertvector((code | code >> 6 | code >> 12 | code >> 18) & 255, v_bytes);
    memcpy(q, &packed, sizeof packed);
}

// Quantizes whole groups of four vectors, which hold `per` blocks or part of one; returns how many elements that is. Blocks have
// 1 << shift elements. The data after them is prefetched meanwhile.
INLINE size_t quantize_fours(const int bits, const float *x, const struct scales *s, const int per, const unsigned shift, size_t n,
                             uint8_t *q, const int stream) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        const size_t first = i >> shift;
        vf at[4];
        UNROLL
        for (int v = 0; v < 4; v++) {
            const size_t e = i + (size_t)(v * VL), b = first + (size_t)(v * per / 4);
            if (v * VL % 16 == 0) __builtin_prefetch(x + n + e);
            at[v] = v_fma(v_load(x + e), v_set1(s->inverse[b]), v_set1(s->zero[b]));
        }
        const vi c = v_round_four(at);
        if (bits == 8) put_int8(q + i, c, stream);
        else if (bits == 4) put_int4(q + i / 2, c, stream);
        else put_ternary(q + i / 4, c);
    }
    return i;
}

// The same where blocks consist of whole vectors and all inverses are usable; otherwise it does nothing.
INLINE size_t quantize_vectors(const int bits, const float *x, const struct scales *s, size_t block, size_t n, uint8_t *q, const int stream) {
    const int single = block >= n;
    if (s->far || !(single || (block % VL == 0 && (block & (block - 1)) == 0))) return 0;
    const unsigned shift = single ? 63 : (unsigned)__builtin_ctzll(block);
    switch ((4ull * VL) >> shift) {
    case 4: return quantize_fours(bits, x, s, 4, shift, n, q, stream);
    case 2: return quantize_fours(bits, x, s, 2, shift, n, q, stream);
    default: return quantize_fours(bits, x, s, 1, shift, n, q, stream);
    }
}

INLINE size_t quantize_whole(const int bits, const float *x, const struct scales *s, size_t block, size_t n, uint8_t *q, int stream) {
    if (STREAMS && stream && (uintptr_t)q % (4 * VL) == 0) return quantize_vectors(bits, x, s, block, n, q, 1);
    return quantize_vectors(bits, x, s, block, n, q, 0);
}

// From element i on, block by block; `make` takes one block, whose first code begins a byte.
#define EACH_BLOCK(type, make, i)                                                                         \
    for (size_t b = (i) / block, end; (i) < n; b++, (i) = end) {                                          \
        const struct coder c = coder_of(CPU_##type, s, b);                                                \
        end = (b + 1) * block < n ? (b + 1) * block : n;                                                  \
        uint8_t *to = (uint8_t *)q + (i) * (size_t)cpu_type_bits(CPU_##type) / 8;                         \
        if (is_near(s->scale[b])) make(1, x + (i), &c, end - (i), to);                                    \
        else make(0, x + (i), &c, end - (i), to);                                                         \
    }

#define HAS_FOURS(type) (CPU_##type == CPU_I8 || CPU_##type == CPU_I4 || CPU_##type == CPU_TERNARY)
#define QUANTIZE(type)                                                                                                        \
    static void quantize_##type(const float *x, const struct scales *s, size_t block, size_t n, void *q, int stream) {       \
        size_t i = HAS_FOURS(type) ? quantize_whole(cpu_type_bits(CPU_##type), x, s, block, n, q, stream) : 0;                \
        EACH_BLOCK(type, make_##type, i)                                                                                      \
    }
QUANT_TYPES(QUANTIZE)

static void stream_group(const float *from, float *to) {
    UNROLL
    for (int i = 0; i < QUANT_GROUP; i += VL) v_stream(to + i, v_load(from + i));
}

static void quant_fence(void) { v_fence(); }
