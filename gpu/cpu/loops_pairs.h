// Template: panels of bfloat16 and bytes, and bfloat16 from sums, for AVX-512 and AMX instructions.
static __mmask32 first(size_t n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1; }

static __m512i load(const uint16_t *p, size_t n) { return _mm512_maskz_loadu_epi16(first(n), p); }

static __m512 widened(const uint16_t *p, size_t n) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(load(p, n))), 16));
}

static void pairs_store(const float *sums, size_t ld, size_t rows, size_t cols, const uint16_t *bias, float floor, uint16_t *out,
                        size_t n, int past) {
    const size_t low = cols < TILE_HALF ? cols : TILE_HALF;
    const __m512 least = _mm512_set1_ps(floor), none = _mm512_set1_ps(-0.0f); // x + −0 is x
    const __m512 bias0 = bias ? widened(bias, low) : none, bias1 = bias ? widened(bias + TILE_HALF, cols - low) : none;
    for (size_t r = 0; r < rows; r++, sums += ld, out += n) {
        const __m512 x = _mm512_max_ps(least, _mm512_loadu_ps(sums) + bias0); // NaN is kept
        const __m512 y = _mm512_max_ps(least, _mm512_loadu_ps(sums + TILE_HALF) + bias1);
        const __m512i pairs = (__m512i)_mm512_cvtne2ps_pbh(y, x);
        if (past) _mm512_stream_si512((void *)out, pairs);
        else _mm512_mask_storeu_epi16(out, first(cols), pairs);
    }
}

static void pairs_end(void) { _mm_sfence(); } // orders non-temporal stores before what follows

// One row of a step, of which `left` bytes exist.
INLINE __m512i load_bytes(const char *p, size_t left) {
    if (left >= TILE_BYTES) return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi8(((__mmask64)1 << left) - 1, p);
}

static void pairs_pack_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    for (size_t d = 0; d < bytes; d += TILE_BYTES)
        for (size_t r = 0; r < TILE_SIDE; r++, dst += TILE_BYTES)
            _mm512_store_si512(dst, r < count ? load_bytes(src + r * ld + d, bytes - d) : _mm512_setzero_si512());
}

INLINE void store_half(const vf rows[TILE_HALF], char *dst) {
    for (size_t r = 0; r < TILE_HALF; r++) v_store((float *)(void *)(dst + r * TILE_BYTES), rows[r]);
}

// A transpose of 4 bytes at a time.
static void pairs_pack_b_rows(const char *src, size_t ld, size_t count, size_t bytes, char *dst) {
    for (size_t d = 0; d < bytes; d += TILE_BYTES) {
        for (size_t c = 0; c < TILE_SIDE; c += TILE_HALF, dst += TILE_HALF_STEP) {
            vf t[TILE_HALF];
            for (size_t i = 0; i < TILE_HALF; i++) t[i] = c + i < count ? (vf)load_bytes(src + (c + i) * ld + d, bytes - d) : (vf){0};
            v_transpose(t);
            store_half(t, dst);
        }
    }
}

// Interleaves the halves of two rows from d on, element by element.
INLINE void pairs_of_rows(__m512i first, __m512i second, vf *low, vf *high) {
    const __m512i quarters = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7); // unpacking works in lanes of 16 bytes
    const __m512i even = _mm512_permutexvar_epi64(quarters, first), odd = _mm512_permutexvar_epi64(quarters, second);
    *low = (vf)_mm512_unpacklo_epi16(even, odd);
    *high = (vf)_mm512_unpackhi_epi16(even, odd);
}

// Row d of k, of which `count` elements exist.
INLINE __m512i row_at(const uint16_t *src, size_t ld, size_t count, size_t d, size_t k) {
    return d < k ? load(src + d * ld, count) : _mm512_setzero_si512();
}

static void pairs_pack_cols(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst) {
    for (size_t d = 0; d < k; d += TILE_BYTES / 2, dst += TILE_STEP) {
        vf low[TILE_HALF], high[TILE_HALF];
        for (size_t i = 0; i < TILE_HALF; i++)
            pairs_of_rows(row_at(src, ld, count, d + 2 * i, k), row_at(src, ld, count, d + 2 * i + 1, k), &low[i], &high[i]);
        v_transpose(low);
        v_transpose(high);
        store_half(low, dst);
        store_half(high, dst + TILE_HALF_STEP);
    }
}

INLINE void store_pairs(__m512i first, __m512i second, char *dst) {
    vf low, high;
    pairs_of_rows(first, second, &low, &high);
    v_store((float *)(void *)dst, low);
    v_store((float *)(void *)(dst + TILE_HALF_STEP), high);
}

static void pairs_pack_b_cols(const uint16_t *src, size_t ld, size_t count, size_t k, char *dst) {
    const size_t step = TILE_BYTES / 2;
    size_t d = 0;
    for (; d + step <= k && count == TILE_SIDE; d += step, dst += TILE_HALF_STEP)
        for (const uint16_t *row = src + d * ld; row < src + (d + step) * ld; row += 2 * ld, dst += TILE_BYTES)
            store_pairs(_mm512_loadu_si512(row), _mm512_loadu_si512(row + ld), dst);
    for (; d < k; d += step, dst += TILE_HALF_STEP)
        for (size_t i = d; i < d + step; i += 2, dst += TILE_BYTES)
            store_pairs(row_at(src, ld, count, i, k), row_at(src, ld, count, i + 1, k), dst);
}
