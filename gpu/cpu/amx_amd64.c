// Products of bfloat16 and int8 by AMX.
#include "amx.h"
#include "tiles.h"

#define HALF (TILE_SIDE / 2)
#define HALF_STEP (TILE_STEP / 2)

INLINE void load_sums(const char *c, size_t row) {
    _tile_loadd(0, c, row);
    _tile_loadd(1, c + TILE_BYTES, row);
    _tile_loadd(2, c + HALF * row, row);
    _tile_loadd(3, c + HALF * row + TILE_BYTES, row);
}

INLINE void clear_sums(void) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

INLINE void store_sums(char *c, size_t row) {
    _tile_stored(0, c, row);
    _tile_stored(1, c + TILE_BYTES, row);
    _tile_stored(2, c + HALF * row, row);
    _tile_stored(3, c + HALF * row + TILE_BYTES, row);
}

// Four tiles of sums from two of a and two of b; `product` is an instruction.
#define AMX_TILE(name, product)                                                                               \
    static void name(size_t steps, const struct tile_rows *a, const char *b, void *c, size_t ldc, int add) { \
        const char *at = a->at;                                                                               \
        const size_t row = a->row, step = a->step;                                                            \
        if (add) load_sums(c, 4 * ldc);                                                                       \
        else clear_sums();                                                                                    \
        for (size_t s = 0; s < steps; s++, at += step, b += TILE_STEP) {                                      \
            _tile_loadd(4, at, row);                                                                          \
            _tile_loadd(6, b, TILE_BYTES);                                                                    \
            product(0, 4, 6);                                                                                 \
            _tile_loadd(7, b + HALF_STEP, TILE_BYTES);                                                        \
            product(1, 4, 7);                                                                                 \
            _tile_loadd(5, at + HALF * row, row);                                                             \
            product(2, 5, 6);                                                                                 \
            product(3, 5, 7);                                                                                 \
        }                                                                                                     \
        store_sums(c, 4 * ldc);                                                                               \
    }
AMX_TILE(amx_tile_bf16, _tile_dpbf16ps)
AMX_TILE(amx_tile_int8, _tile_dpbssd)

static __mmask32 first(size_t n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1; }

static __m512i load(const uint16_t *p, size_t n) { return _mm512_maskz_loadu_epi16(first(n), p); }

static __m512 widened(const uint16_t *p, size_t n) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(load(p, n))), 16));
}

static void amx_store(const float *sums, size_t ld, size_t rows, size_t cols, const uint16_t *bias, float floor, uint16_t *out,
                      size_t n) {
    const size_t low = cols < HALF ? cols : HALF;
    const __m512 least = _mm512_set1_ps(floor), none = _mm512_set1_ps(-0.0f); // x + −0 is x
    const __m512 bias0 = bias ? widened(bias, low) : none, bias1 = bias ? widened(bias + HALF, cols - low) : none;
    for (size_t r = 0; r < rows; r++, sums += ld, out += n) {
        const __m512 x = _mm512_max_ps(least, _mm512_loadu_ps(sums) + bias0); // NaN stays one
        const __m512 y = _mm512_max_ps(least, _mm512_loadu_ps(sums + HALF) + bias1);
        _mm512_mask_storeu_epi16(out, first(cols), (__m512i)_mm512_cvtne2ps_pbh(y, x));
    }
}

// One row of a step, of which `left` bytes exist.
INLINE __m512i load_bytes(const char *p, size_t left) {
    if (left >= TILE_BYTES) return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi8(((__mmask64)1 << left) - 1, p);
}

static void amx_pack_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    for (size_t d = 0; d < bytes; d += TILE_BYTES)
        for (size_t r = 0; r < TILE_SIDE; r++, dst += TILE_BYTES)
            _mm512_store_si512(dst, r < count ? load_bytes(src + r * ld + d, bytes - d) : _mm512_setzero_si512());
}

INLINE void store_half(const vf rows[HALF], char *dst) {
    for (size_t r = 0; r < HALF; r++) v_store((float *)(void *)(dst + r * TILE_BYTES), rows[r]);
}

// A transpose of 4 bytes at a time.
static void amx_pack_b_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    for (size_t d = 0; d < bytes; d += TILE_BYTES) {
        for (size_t c = 0; c < TILE_SIDE; c += HALF, dst += HALF_STEP) {
            vf t[HALF];
            for (size_t i = 0; i < HALF; i++) t[i] = c + i < count ? (vf)load_bytes(src + (c + i) * ld + d, bytes - d) : (vf){0};
            v_transpose(t);
            store_half(t, dst);
        }
    }
}

// The halves of two rows from d on, element by element in turn.
INLINE void pairs_of_rows(const uint16_t *src, size_t ld, size_t count, size_t d, size_t k, vf *low, vf *high) {
    const __m512i quarters = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), zero = _mm512_setzero_si512(); // unpacking is by lanes of 16 bytes
    const __m512i even = _mm512_permutexvar_epi64(quarters, d < k ? load(src + d * ld, count) : zero);
    const __m512i odd = _mm512_permutexvar_epi64(quarters, d + 1 < k ? load(src + (d + 1) * ld, count) : zero);
    *low = (vf)_mm512_unpacklo_epi16(even, odd);
    *high = (vf)_mm512_unpackhi_epi16(even, odd);
}

INLINE void pack_pairs(const int transposed, const uint16_t *src, size_t ld, size_t count, size_t k, char *dst) {
    for (size_t d = 0; d < k; d += TILE_BYTES / 2, dst += TILE_STEP) {
        vf low[HALF], high[HALF];
        for (size_t i = 0; i < HALF; i++) pairs_of_rows(src, ld, count, d + 2 * i, k, &low[i], &high[i]);
        if (transposed) {
            v_transpose(low);
            v_transpose(high);
        }
        store_half(low, dst);
        store_half(high, dst + HALF_STEP);
    }
}

static void amx_pack_cols(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst) { pack_pairs(1, src, ld, count, k, dst); }
static void amx_pack_b_cols(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst) { pack_pairs(0, src, ld, count, k, dst); }

extern const struct tile_loops amx_tiles;
const struct tile_loops amx_tiles = {
    .codes = 1, .least = 8e6, .begin = amx_begin, .end = amx_end, .tile = {[CPU_BF16] = amx_tile_bf16, [CPU_I8] = amx_tile_int8}, .store = amx_store,
    .pack_rows = amx_pack_rows, .pack_b_rows = amx_pack_b_rows, .pack_cols = amx_pack_cols, .pack_b_cols = amx_pack_b_cols,
};

AMX_END
