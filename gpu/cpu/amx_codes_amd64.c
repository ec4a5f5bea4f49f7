// Floats times integer codes with AMX. Codes are exact in bfloat16. A float is split into two terms: this loses 2^-17 of it at
// worst, in a sum of many products less than float additions lose.
#include "amx.h"
#include "amx_quarters.h"
#include "block_kinds.h"
#include "codes.h"
#include "loops_block_pairs.h"

#define TILE (CODE_TILE * CODE_STEP) // elements
#define AMX_SPLIT 2                  // terms of bfloat16 that a float is split into
#define COLS (2 * VL)
#define W_STEP (2 * TILE)            // of a panel: the first columns, then the others

_Static_assert(QUARTER_SIDE == CODE_TILE && VL == CODE_TILE, "panels");

// The products of a group, in registers c and d. Neighboring groups use different registers, so that neither waits for the other.
#define GROUP_PRODUCT(c, d)                                                     \
    do {                                                                        \
        _tile_zero(c);                                                          \
        _tile_zero(d);                                                          \
        for (size_t s = 0; s < t->steps; s++, a += AMX_SPLIT * TILE, w += W_STEP) { \
            _tile_loadd(4, a, 64);                                              \
            _tile_loadd(6, w, 64);                                              \
            _tile_dpbf16ps(c, 4, 6);                                            \
            _tile_loadd(7, w + TILE, 64);                                       \
            _tile_dpbf16ps(d, 4, 7);                                            \
            _tile_loadd(5, a + TILE, 64);                                       \
            _tile_dpbf16ps(c, 5, 6);                                            \
            _tile_dpbf16ps(d, 5, 7);                                            \
        }                                                                       \
        _tile_stored(c, to[0], 4 * VL);                                         \
        _tile_stored(d, to[1], 4 * VL);                                         \
    } while (0)

INLINE void multiply_codes(const void *job, size_t group, size_t turn, quarter_rows to[QUARTERS]) {
    const struct code_tile *t = job;
    const uint16_t *a = t->a + group * t->steps * AMX_SPLIT * TILE, *w = t->w + group * t->steps * W_STEP;
    if (turn == 0) GROUP_PRODUCT(0, 1);
    else GROUP_PRODUCT(2, 3);
}

// Adds the scaled products of a group, and the contribution of its zero points.
INLINE void add_group(const int offsets, const void *job, size_t group, size_t row, size_t col, const quarter_rows part, quarter_rows total) {
    const struct code_tile *t = job;
    const float *sums = t->sums + group * CODE_TILE + row;
    __asm__("" : "+r"(sums)); // otherwise GCC keeps an address for each element
    const vf scale = v_load(t->scale + group * COLS + col), offset = v_load(t->offset + group * COLS + col);
    UNROLL
    for (int r = 0; r < QUARTER_SIDE; r++) {
        total[r] = v_fma(part[r], scale, total[r]);
        if (offsets) total[r] = v_fma(v_set1(sums[r]), offset, total[r]);
    }
}

#define ADD_CODES(name, offsets)                                                                                                       \
    INLINE void add_##name(const void *job, size_t group, size_t row, size_t col, const quarter_rows part, quarter_rows total) {       \
        add_group(offsets, job, group, row, col, part, total);                                                                         \
    }                                                                                                                                  \
    static const struct quarter_loops quarters_of_##name = {CODE_TILE, multiply_codes, add_##name};
ADD_CODES(codes, 1)
ADD_CODES(scaled_codes, 0)

static void amx_codes_tile(const struct code_tile *t) {
    const struct quartered q = {t->groups, t->out, t->ld, t->rows, t->cols, t->add};
    if (t->offsets) in_quarters(&quarters_of_codes, t, &q);
    else in_quarters(&quarters_of_scaled_codes, t, &q);
}

INLINE vf upper_half(__m256i halves) { return (vf)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16); }

// Splits two vectors into two bfloat16 terms each.
INLINE void split(vf x, vf y, uint16_t *high, uint16_t *low) {
    const __m512i first = (__m512i)_mm512_cvtne2ps_pbh((__m512)y, (__m512)x);
    x -= upper_half(_mm512_castsi512_si256(first)), y -= upper_half(_mm512_extracti64x4_epi64(first, 1));
    _mm512_store_si512(high, first);
    _mm512_store_si512(low, (__m512i)_mm512_cvtne2ps_pbh((__m512)y, (__m512)x));
}

// The bits of magnitudes, which compare like the floats.
INLINE __m512i magnitude_bits(vf x) { return _mm512_and_si512((__m512i)x, _mm512_set1_epi32(INT32_MAX)); }
#define TOO_LARGE 0x71800000 // 2^100: sums of products with codes and group scales might overflow from 2^108 on

INLINE vf load_left(const float *p, size_t n) { return n >= VL ? v_load(p) : v_load_n(p, n); }

// Packs one group of a row, of which `left` elements exist. Returns its sum; *most is the largest magnitude in each lane.
INLINE vf pack_group(const float *from, size_t group, size_t left, uint16_t *dst, __m512i *most) {
    vf sum = {0};
    for (size_t d = 0; d < group; d += CODE_STEP, dst += AMX_SPLIT * TILE) {
        vf x = {0}, y = {0};
        if (d + CODE_STEP <= left) x = v_load(from + d), y = v_load(from + d + VL);
        else if (d < left) x = load_left(from + d, left - d), y = v_load_n(from + d + VL, left - d > VL ? left - d - VL : 0);
        sum += x + y;
        *most = _mm512_max_epi32(*most, _mm512_max_epi32(magnitude_bits(x), magnitude_bits(y)));
        split(x, y, dst, dst + TILE);
    }
    return sum;
}

static int amx_pack_rows(const float *src, size_t ld, size_t rows, size_t k, const struct code_rows *to) {
    const size_t group = to->group;
    uint16_t *dst = to->at;
    float *sums = to->sums;
    __m512i most = _mm512_setzero_si512();
    for (size_t d = 0; d < k; d += group, sums += CODE_TILE, dst += AMX_SPLIT * CODE_TILE * group) {
        vf sum[CODE_TILE];
        for (size_t r = 0; r < CODE_TILE; r++)
            sum[r] = pack_group(src + r * ld + d, group, r < rows ? k - d : 0, dst + r * CODE_STEP, &most);
        v_store(sums, sums_of(sum));
    }
    return _mm512_cmpge_epi32_mask(most, _mm512_set1_epi32(TOO_LARGE)) == 0; // infinities and NaN are too large, too
}

// Pairs of bfloat16 from 32 codes, of which `left` exist.
INLINE vf pairs_I8(const uint8_t *p, size_t left) {
    const __m256i codes = _mm256_maskz_loadu_epi8(left >= CODE_STEP ? 0xffffffffu : (1u << left) - 1, p);
    const __m512 low = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm256_castsi256_si128(codes)));
    const __m512 high = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm256_extracti128_si256(codes, 1)));
    return (vf)(__m512i)_mm512_cvtne2ps_pbh(high, low);
}

INLINE vf pairs_I4(const uint8_t *p, size_t left) {
    const size_t bytes = ceil_div(min_size(left, CODE_STEP), 2);
    const __m512i both = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8((__mmask16)((1u << bytes) - 1), p));
    const __m512i odd = (__m512i)v_all_i4(), even = _mm512_srli_epi32(odd, 16);
    return (vf)_mm512_or_si512(_mm512_permutexvar_epi32(both, even), _mm512_permutexvar_epi32(_mm512_srli_epi32(both, 4), odd));
}

// The same for 32 weights of a row of blocks.
INLINE vf pairs_of_words(vf codes) {
    const __m512 low = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_castsi512_si256((__m512i)codes)));
    const __m512 high = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64((__m512i)codes, 1)));
    return (vf)(__m512i)_mm512_cvtne2ps_pbh(high, low);
}

// The step from weight d of a row on.
#define PAIRS_AT(type) \
    INLINE vf pairs_at_##type(const uint8_t *row, size_t d, size_t left) { return pairs_##type(row + bytes_of(CPU_##type, d), left); }
PAIRS_AT(I8)
PAIRS_AT(I4)

#define BLOCK_PAIRS_AT(type) \
    INLINE vf pairs_at_##type(const uint8_t *row, size_t d, size_t left) { return (void)left, pairs_of_words(pairs_of_##type(row, d)); }
BLOCK_PAIRS_AT(Q8_0)
BLOCK_PAIRS_AT(Q4_1)
BLOCK_PAIRS_AT(Q4_K)
BLOCK_PAIRS_AT(Q4_0)

// Packs 16 columns of a step.
#define PACK_CODES(type)                                                                                                                         \
    INLINE void pack_step_##type(const uint8_t *src, size_t bytes, size_t cols, size_t d, size_t k, uint16_t *dst) {                             \
        vf t[CODE_TILE];                                                                                                                         \
        for (size_t c = 0; c < CODE_TILE; c++) t[c] = c < cols ? pairs_at_##type(src + c * bytes, d, k - d) : (vf){0};                           \
        v_transpose(t);                                                                                                                          \
        for (size_t c = 0; c < CODE_TILE; c++) v_store((float *)(void *)(dst + c * CODE_STEP), t[c]);                                            \
    }                                                                                                                                            \
    static void amx_pack_##type(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst) {                                        \
        for (size_t d = 0; d < k; d += CODE_STEP, dst += W_STEP) {                                                                               \
            pack_step_##type(src, bytes, cols, d, k, dst);                                                                                       \
            pack_step_##type(src + CODE_TILE * bytes, bytes, cols > CODE_TILE ? cols - CODE_TILE : 0, d, k, dst + TILE);                         \
        }                                                                                                                                        \
    }
PACK_CODES(I8)
PACK_CODES(I4)
PACK_CODES(Q8_0)
PACK_CODES(Q4_1)
PACK_CODES(Q4_K)
PACK_CODES(Q4_0)

extern const struct code_loops amx_codes;
const struct code_loops amx_codes = {
    .cols = COLS, .split = AMX_SPLIT, .w_split = 1, .shortest = 128, .depth = {256, 512}, .least = 3e7, .begin = amx_begin, .end = amx_end, .tile = amx_codes_tile, .pack_rows = amx_pack_rows,
    .pack_codes = {[CPU_I8] = amx_pack_I8, [CPU_I4] = amx_pack_I4, [CPU_Q8_0] = amx_pack_Q8_0, [CPU_Q4_1] = amx_pack_Q4_1, [CPU_Q4_K] = amx_pack_Q4_K,
                   [CPU_Q4_0] = amx_pack_Q4_0}, // not q6_K, whose groups are half a step
};

// Weights of q6_K, whose groups of 16 are half a step, are codes times their groups' scales: integers of 14 bits, exact in two
// bfloat16 terms. Of the four products of terms, that of both lower terms is left out: it is 2^-16 of a product at worst, 2^-18
// or less on average. A group is a whole block with its scale.
#define PRODUCT_STEP (2 * W_STEP) // of a panel: the upper terms of all columns, then the lower ones

// Registers 0 and 1 sum products of upper terms, 2 and 3 those of an upper and a lower term: with four of them products do not
// wait for each other.
INLINE void multiply_block(const struct code_tile *t, size_t block, quarter_rows to[QUARTERS]) {
    const uint16_t *a = t->a + block * t->steps * AMX_SPLIT * TILE, *w = t->w + block * t->steps * PRODUCT_STEP;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t s = 0; s < t->steps; s++, a += AMX_SPLIT * TILE, w += PRODUCT_STEP) {
        _tile_loadd(4, a, 64);
        _tile_loadd(6, w, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, w + TILE, 64);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + TILE, 64);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
        _tile_loadd(6, w + W_STEP, 64);
        _tile_dpbf16ps(2, 4, 6);
        _tile_loadd(7, w + W_STEP + TILE, 64);
        _tile_dpbf16ps(3, 4, 7);
    }
    _tile_stored(0, to[0], 4 * VL);
    _tile_stored(1, to[1], 4 * VL);
    _tile_stored(2, to[2], 4 * VL);
    _tile_stored(3, to[3], 4 * VL);
}

static void amx_block_tile(const struct code_tile *t) {
    quarter_rows part[QUARTERS], total[2];
    for (size_t r = 0; r < t->rows; r++) __builtin_prefetch(t->out + r * t->ld, 1), __builtin_prefetch(t->out + r * t->ld + VL, 1);
    for (size_t b = 0; b < t->groups; b++) {
        multiply_block(t, b, part);
        for (size_t c = 0; c < 2; c++) {
            const vf scale = v_load(t->scale + b * COLS + c * VL);
            UNROLL
            for (size_t r = 0; r < CODE_TILE; r++) {
                const vf sum = (part[c][r] + part[2 + c][r]) * scale;
                total[c][r] = b == 0 ? sum : total[c][r] + sum;
            }
        }
    }
    for (size_t c = 0; c < 2; c++) {
        const size_t cols = t->cols > c * VL ? min_size(t->cols - c * VL, VL) : 0;
        for (size_t r = 0; r < t->rows; r++) {
            float *out = t->out + r * t->ld + c * VL;
            v_store_n(out, t->add ? total[c][r] + v_load_n(out, cols) : total[c][r], cols);
        }
    }
}

// A step of 32 codes of a row times their scales, in two terms.
INLINE void products_Q6_K(const uint8_t *row, size_t d, uint16_t *high, uint16_t *low) {
    const int8_t *scales = (const int8_t *)row + bytes_of(CPU_Q6_K, d / 256 * 256) + 192 + d % 256 / 16;
    const __m512i by = _mm512_inserti64x4(_mm512_set1_epi16(scales[0]), _mm256_set1_epi16(scales[1]), 1);
    const __m512i words = _mm512_mullo_epi16((__m512i)pairs_of_Q6_K(row, d), by);
    const __m512 first = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_castsi512_si256(words)));
    split((vf)first, (vf)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(words, 1))), high, low);
}

// Packs 16 columns of a step.
INLINE void pack_products(const uint8_t *src, size_t bytes, size_t cols, size_t d, uint16_t *dst) {
    vf term[2][CODE_TILE];
    for (size_t c = 0; c < CODE_TILE; c++) {
        if (c < cols) products_Q6_K(src + c * bytes, d, (uint16_t *)(void *)&term[0][c], (uint16_t *)(void *)&term[1][c]);
        else term[0][c] = term[1][c] = (vf){0};
    }
    for (size_t i = 0; i < 2; i++, dst += W_STEP) {
        v_transpose(term[i]);
        for (size_t c = 0; c < CODE_TILE; c++) v_store((float *)(void *)(dst + c * CODE_STEP), term[i][c]);
    }
}

static void amx_pack_products(const uint8_t *src, size_t bytes, size_t cols, size_t k, uint16_t *dst) {
    for (size_t d = 0; d < k; d += CODE_STEP, dst += PRODUCT_STEP) {
        pack_products(src, bytes, cols, d, dst);
        pack_products(src + CODE_TILE * bytes, bytes, cols > CODE_TILE ? cols - CODE_TILE : 0, d, dst + TILE);
    }
}

static void amx_block_scales(const uint8_t *row, size_t first, size_t n, float *scale, float *offset) {
    for (size_t b = 0; b < n / 256; b++) scale[b] = block_half(row + bytes_of(CPU_Q6_K, first + b * 256) + 208), offset[b] = 0;
}

extern const struct code_loops amx_block_codes;
const struct code_loops amx_block_codes = {
    .cols = COLS, .split = AMX_SPLIT, .w_split = 2, .least_rows = 32, .shortest = 256, .depth = {512, 512}, .least = 3e7, .begin = amx_begin, .end = amx_end,
    .tile = amx_block_tile, .pack_rows = amx_pack_rows, .pack_codes = {[CPU_Q6_K] = amx_pack_products}, .scales = {[CPU_Q6_K] = amx_block_scales},
};

AMX_END
