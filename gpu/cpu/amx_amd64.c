// Products of bfloat16 by AMX.
#include "amx.h"
#include "bf16.h"

#define HALF (BF16_TILE / 2)
#define STEP (BF16_TILE * BF16_TILE) // elements of a panel

static void amx_tile(size_t steps, const uint16_t *a, const uint16_t *b, float *c, size_t ldc, int add) {
    if (add) {
        _tile_loadd(0, c, 4 * ldc);
        _tile_loadd(1, c + HALF, 4 * ldc);
        _tile_loadd(2, c + HALF * ldc, 4 * ldc);
        _tile_loadd(3, c + HALF * ldc + HALF, 4 * ldc);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    for (size_t s = 0; s < steps; s++, a += STEP, b += STEP) {
        _tile_loadd(4, a, 64);
        _tile_loadd(6, b, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, b + STEP / 2, 64);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, a + STEP / 2, 64);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, c, 4 * ldc);
    _tile_stored(1, c + HALF, 4 * ldc);
    _tile_stored(2, c + HALF * ldc, 4 * ldc);
    _tile_stored(3, c + HALF * ldc + HALF, 4 * ldc);
}

static __mmask32 first(size_t n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1; }

static __m512i load(const uint16_t *p, size_t n) { return _mm512_maskz_loadu_epi16(first(n), p); }

static size_t left(size_t all, size_t from) { return all - from < BF16_TILE ? all - from : BF16_TILE; }

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

static void amx_pack_rows(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst) {
    for (size_t d = 0; d < k; d += BF16_TILE)
        for (size_t r = 0; r < BF16_TILE; r++, dst += BF16_TILE)
            _mm512_store_si512(dst, r < count ? load(src + r * ld + d, left(k, d)) : _mm512_setzero_si512());
}

static void amx_pack_cols(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst) {
    memset(dst, 0, (k + BF16_TILE - 1) / BF16_TILE * STEP * 2);
    for (size_t d = 0; d < k; d++, src += ld) {
        uint16_t *to = dst + d / BF16_TILE * STEP + d % BF16_TILE;
        for (size_t r = 0; r < count; r++) to[r * BF16_TILE] = src[r];
    }
}

// Two rows of k, element by element in turn.
static void amx_pack_b_cols(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst) {
    const __m512i quarters = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7); // unpacking is by lanes of 16 bytes
    const size_t whole = (k + BF16_TILE - 1) / BF16_TILE * BF16_TILE;
    for (size_t d = 0; d < whole; d += 2) {
        const __m512i zero = _mm512_setzero_si512();
        const __m512i even = _mm512_permutexvar_epi64(quarters, d < k ? load(src + d * ld, count) : zero);
        const __m512i odd = _mm512_permutexvar_epi64(quarters, d + 1 < k ? load(src + (d + 1) * ld, count) : zero);
        uint16_t *to = dst + d / BF16_TILE * STEP + d % BF16_TILE * HALF;
        _mm512_store_si512(to, _mm512_unpacklo_epi16(even, odd));
        _mm512_store_si512(to + STEP / 2, _mm512_unpackhi_epi16(even, odd));
    }
}

// A transpose of pairs along k.
static void amx_pack_b_rows(const uint16_t *src, size_t ld, size_t count, size_t k, uint16_t *dst) {
    for (size_t d = 0; d < k; d += BF16_TILE, dst += STEP) {
        uint32_t pairs[BF16_TILE][HALF];
        for (size_t c = 0; c < BF16_TILE; c++)
            _mm512_storeu_si512(pairs[c], c < count ? load(src + c * ld + d, left(k, d)) : _mm512_setzero_si512());
        for (size_t half = 0; half < 2; half++) {
            const __m512i column = _mm512_slli_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 4); // · HALF
            for (size_t p = 0; p < HALF; p++)
                _mm512_store_si512(dst + half * (STEP / 2) + p * BF16_TILE, _mm512_i32gather_epi32(column, &pairs[half * HALF][p], 4));
        }
    }
}

extern const struct bf16_loops amx_bf16;
const struct bf16_loops amx_bf16 = {
    .begin = amx_begin, .end = amx_end, .tile = amx_tile, .store = amx_store, .pack_rows = amx_pack_rows, .pack_cols = amx_pack_cols,
    .pack_b_rows = amx_pack_b_rows, .pack_b_cols = amx_pack_b_cols,
};

AMX_END
