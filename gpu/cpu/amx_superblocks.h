// Part of amx_bytes_amd64.c: int8 activations times ggml's superblocks of 256 weights, whose groups have integer scales. A code
// times its scale fits into 14 bits, which are split into two int8 digits, so a whole block is multiplied before its sums become
// floats. Each digit is a column of the packed weights: first the low digits of 16 output columns, then the high ones.
#define SUPERBLOCK 256
#define DIGIT_COLS VL
#define SUPER_TERMS (1 + AMX_ROWS) // of a block: the scale of its minima, and a register's rows of pairs of minima

_Static_assert(LANE_COLS == 2 * DIGIT_COLS && BYTE_DEPTH == 2 * SUPERBLOCK, "two digits of each column, two blocks at hand");
_Static_assert(LANE_ROW - BYTE_DEPTH >= BYTE_DEPTH / 32 * 4, "sums behind a row");

// The digits of 64 codes, each times the scale of its word.
INLINE void put_digits(__m512i codes, __m512i scales, int8_t *low) {
    const __m512i even = _mm512_srai_epi16(_mm512_slli_epi16(codes, 8), 8), odd = _mm512_srai_epi16(codes, 8), half = _mm512_set1_epi16(128);
    const __m512i x = _mm512_mullo_epi16(even, scales), y = _mm512_mullo_epi16(odd, scales);
    const __mmask64 evens = 0x5555555555555555;
    _mm512_storeu_si512(low, _mm512_mask_mov_epi8(_mm512_slli_epi16(y, 8), evens, x));
    _mm512_storeu_si512(low + DIGIT_COLS * BYTE_UNPACKED, _mm512_mask_mov_epi8(_mm512_add_epi16(y, half), evens, _mm512_srli_epi16(_mm512_add_epi16(x, half), 8)));
}

// The scale of each word in the 64 codes from 64 · part on: one of a block's scales, each shared by `each` codes.
INLINE __m512i scales_of(const int each, __m128i scales, int part) {
    v_shorts_two at;
    UNROLL
    for (int w = 0; w < 2 * VL; w++) at[w] = (int16_t)((64 * part + 2 * w) / each);
    return _mm512_permutexvar_epi16((__m512i)at, _mm512_castsi256_si512(_mm256_cvtepi8_epi16(scales)));
}

INLINE __m512i load_bytes(const uint8_t *p) { return _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)p)); }
INLINE __m512i both_halves(__m512i low, __m512i high) { return _mm512_inserti64x4(low, _mm512_castsi512_si256(high), 1); }

INLINE void put_digits_Q4_K(const uint8_t *block, int8_t *dst) {
    uint64_t scales, minima;
    six_bits(block, &scales, &minima);
    UNROLL
    for (int i = 0; i < 4; i++) {
        const __m512i bytes = load_bytes(block + 16 + 32 * i), codes = both_halves(bytes, _mm512_srli_epi16(bytes, 4));
        put_digits(_mm512_and_si512(codes, _mm512_set1_epi8(15)), scales_of(32, _mm_cvtsi64_si128((int64_t)scales), i), dst + 64 * i);
    }
}

INLINE void put_digits_Q6_K(const uint8_t *block, int8_t *dst) {
    const __m512i four = _mm512_set1_epi8(15), two = _mm512_set1_epi8(0x30), bias = _mm512_set1_epi8(32);
    const __m128i scales = _mm_loadu_si128((const __m128i *)(const void *)(block + 192));
    UNROLL
    for (int side = 0; side < 2; side++) {
        const __m512i low = _mm512_loadu_si512(block + 64 * side), high = load_bytes(block + 128 + 32 * side), more = both_halves(high, _mm512_srli_epi16(high, 2));
        const __m512i first = _mm512_or_si512(_mm512_and_si512(low, four), _mm512_and_si512(_mm512_slli_epi16(more, 4), two));
        const __m512i next = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(low, 4), four), _mm512_and_si512(more, two));
        put_digits(_mm512_sub_epi8(first, bias), scales_of(16, scales, 2 * side), dst + 128 * side);
        put_digits(_mm512_sub_epi8(next, bias), scales_of(16, scales, 2 * side + 1), dst + 128 * side + 64);
    }
}

// The scale of block b in the current panel, and the terms of its minima. Like the sums of activations, the first block's go into
// the first pairs and the second block's into the others. Each is in both elements of a pair of bfloat16, which represents it
// exactly.
INLINE float super_scale_Q4_K(const uint8_t *block, size_t b, float *term) {
    uint64_t scales, minima;
    six_bits(block, &scales, &minima);
    const __m512i x = (__m512i)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(b == 0 ? _mm_cvtsi64_si128((int64_t)minima) : _mm_set_epi64x((int64_t)minima, 0)));
    term[0] = -block_half(block + 2);
    v_store(term + 1, (vf)_mm512_or_si512(x, _mm512_srli_epi32(x, 16)));
    return block_half(block);
}
INLINE float super_scale_Q6_K(const uint8_t *block, size_t b, float *term) { return (void)b, (void)term, block_half(block + 208); }

#define SUPERBLOCKS(type)                                                                                                      \
    static void unpack_digits_##type(const uint8_t *src, size_t n, int8_t *dst) {                                              \
        for (size_t i = 0; i < n; i += SUPERBLOCK) put_digits_##type(src + bytes_of(CPU_##type, i), dst + i);                  \
    }                                                                                                                          \
    static void super_scales_##type(const uint8_t *row, size_t first, size_t n, float *scale, float *term) {                   \
        const uint8_t *from = row + bytes_of(CPU_##type, first);                                                               \
        for (size_t b = 0; b < n / SUPERBLOCK; b++)                                                                            \
            scale[b] = super_scale_##type(from + bytes_of(CPU_##type, b * SUPERBLOCK), b, term + b * SUPER_TERMS);             \
    }
SUPERBLOCKS(Q4_K)
SUPERBLOCKS(Q6_K)

// Packs a row of activations, followed by the sums of every 32 of them, each as two bfloat16 terms that represent it exactly.
static void pack_super_row(const int8_t *src, size_t n, size_t lanes, char *dst, int32_t *sums) {
    int32_t each[BYTE_DEPTH / 32] = {0};
    (void)lanes;
    pack_byte_row(src, n, 8, dst, each);
    const vf sum = __builtin_convertvector((vi)v_get((const char *)each), vf), high = (vf)((vi)sum & (int32_t)0xffff0000);
    v_put(dst + BYTE_DEPTH, (vi)high | (vi)((vu)(sum - high) >> 16));
    for (size_t b = 0; b < n / SUPERBLOCK; b++) sums[b] = 0; // sums of whole blocks are not used
}

INLINE void multiply_sums(const struct byte_tile *t, const float *pairs, quarter_rows to[2]) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_loadd(6, pairs, 4 * VL);
    _tile_loadd(4, t->a + BYTE_DEPTH, LANE_ROW);
    _tile_dpbf16ps(0, 4, 6);
    if (t->rows > QUARTER_SIDE) {
        _tile_loadd(5, t->a + QUARTER_SIDE * LANE_ROW + BYTE_DEPTH, LANE_ROW);
        _tile_dpbf16ps(1, 5, 6);
    }
    _tile_stored(0, to[0], 4 * VL);
    if (t->rows > QUARTER_SIDE) _tile_stored(1, to[1], 4 * VL);
}

// Adds a block to half of a tile.
INLINE void add_block(const int offsets, const struct byte_tile *t, size_t block, size_t half, const quarter_rows part[2], const quarter_rows sums, quarter_rows total) {
    const float *a_scale = t->a_scale + half * QUARTER_SIDE * ROW_GROUPS + block;
    const vf scale = v_load(t->scale + block * DIGIT_COLS), term = offsets ? v_load(t->term + block * SUPER_TERMS * DIGIT_COLS) : scale;
    __asm__("" : "+r"(a_scale)); // otherwise GCC keeps an address for each element
    UNROLL
    for (int r = 0; r < QUARTER_SIDE; r++) {
        vf of_block = __builtin_convertvector((vi)part[0][r] + ((vi)part[1][r] << 8), vf) * scale;
        if (offsets) of_block = v_fma(sums[r], term, of_block);
        total[r] = v_fma(of_block, v_set1(a_scale[r * ROW_GROUPS]), total[r]);
    }
}

// Loads the rows of a tile from the sums of earlier products.
INLINE void load_super_rows(const struct byte_tile *t, quarter_rows total[2]) {
    for (size_t r = 0; r < 2 * QUARTER_SIDE; r++) total[r / QUARTER_SIDE][r % QUARTER_SIDE] = t->add && r < t->rows ? v_load_n(t->out + r * t->ld, t->cols) : (vf){0};
}

INLINE void super_tile(const int offsets, const struct byte_tile *t) {
    const struct byte_tile_job job = {t, STEP_LANES(t->lanes)};
    const size_t halves = t->rows > QUARTER_SIDE ? 2 : 1;
    quarter_rows part[QUARTERS], sums[2], total[2];
    for (size_t r = 0; r < t->rows; r++) __builtin_prefetch(t->out + r * t->ld, 1);
    for (size_t b = 0; b < t->groups; b++) {
        multiply_bytes(&job, b, 0, part);
        if (offsets) multiply_sums(t, t->term + (b * SUPER_TERMS + 1) * DIGIT_COLS, sums);
        if (b == 0) load_super_rows(t, total);
        for (size_t h = 0; h < halves; h++) add_block(offsets, t, b, h, part + 2 * h, sums[h], total[h]);
    }
    if (t->groups == 0) load_super_rows(t, total);
    for (size_t r = 0; r < t->rows; r++) v_store_n(t->out + r * t->ld, total[r / QUARTER_SIDE][r % QUARTER_SIDE], t->cols);
}

static void amx_super_tile(const struct byte_tile *t) {
    if (t->terms == BYTE_OFFSETS) super_tile(1, t);
    else super_tile(0, t);
}

static void turn_super_terms(const float *src, size_t row, size_t groups, float *dst) { turn_columns(DIGIT_COLS, src, row, groups, dst); }

extern const struct byte_loops amx_block_bytes;
const struct byte_loops amx_block_bytes = {
    .rows = TILE_ROWS, .cols = DIGIT_COLS, .each = LANE_EACH, .digits = 2, .terms = SUPER_TERMS, .tile = amx_super_tile, .begin = amx_begin_lanes, .end = amx_end,
    .least = 3e7, .least_rows = 12, .whole_lanes = WHOLE_LANES, .row_groups = ROW_GROUPS,
    .unpack = {[CPU_Q4_K] = unpack_digits_Q4_K, [CPU_Q6_K] = unpack_digits_Q6_K}, .scales = {[CPU_Q4_K] = super_scales_Q4_K, [CPU_Q6_K] = super_scales_Q6_K},
    .pack_row = pack_super_row, .pack_cols = pack_byte_cols, .turn = turn_super_terms,
};
