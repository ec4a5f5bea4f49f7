// Template: tiles of int8 activations and integer codes, whose sums of a group stay in registers until they are scaled.
#include "block_kinds.h"
#include "bytes.h"
#include "quant.h"

#if defined(NARROW_CODES) // sums of products of bytes are int16 for a few lanes
#define LANE_EACH 4
#define LANE_BIAS 0
#define LANE_BITS 6 // of a code, at most
INLINE vi lane_dot(vi sum, vi w, vi a) { return v_dot(sum, w, a); }
INLINE vi lane_add(vi sum, vi w, vi a) { return (vi)v_dot_bytes((v_shorts)sum, w, a); } // of int16
INLINE vi lane_load(const int8_t *p) { return v_get((const char *)p); }
#elif DIGIT_BITS == 8 // v_dot takes any bytes
#define LANE_EACH 4
#define LANE_BIAS DOT_BIAS
INLINE vi lane_dot(vi sum, vi w, vi a) { return v_dot(sum, w, a); }
INLINE vi lane_load(const int8_t *p) { return v_get((const char *)p); }
#else // sums of two products are made of int16
#define LANE_EACH 2
#define LANE_BIAS 0
INLINE vi lane_dot(vi sum, vi w, vi a) { return v_dot_pairs(sum, w, a); }
INLINE vi lane_load(const int8_t *p) { return v_load_pairs(p); }
#endif

#if !defined(LANE_BITS)
#define LANE_BITS 8
#define lane_add(sum, w, a) lane_dot(sum, w, a)
#endif

// Rows of a tile: as many as there are registers for, with their sums of integers and of floats.
#if VL == 16 || defined(__aarch64__)
#define LANE_ROWS BYTE_ROWS
#elif VL == 8
#define LANE_ROWS 3
#else
#define LANE_ROWS 2
#endif
#define LANE_COLS (2 * VL)
#define LANE_ROW BYTE_ROW(LANE_EACH)

// total += what a group adds: a_scale · scale · (sum − zero · the sum of activations), or a_scale · (scale · sum + offset · that sum).
INLINE void scale_group(const int rows, const enum byte_terms terms, const struct byte_tile *t, size_t group, vi sum[LANE_ROWS][2], vf total[LANE_ROWS][2]) {
    const float *all = t->sums + group * BYTE_ROWS, *a_scale = t->a_scale + group * BYTE_ROWS;
    UNROLL
    for (int v = 0; v < 2; v++) {
        const size_t col = group * LANE_COLS + (size_t)v * VL;
        const vf scale = v_load(t->scale + col), term = terms == BYTE_SCALES ? scale : v_load(t->term + col);
        UNROLL
        for (int r = 0; r < rows; r++) {
            vf part = __builtin_convertvector(sum[r][v], vf), by = v_set1(a_scale[r]);
            if (terms == BYTE_ZEROS) part = v_fma(term, v_set1(all[r]), part);
            if (terms == BYTE_OFFSETS) part = v_fma(term, v_set1(all[r]), part * scale);
            else by *= scale;
            total[r][v] = v_fma(part, by, total[r][v]);
        }
    }
}

INLINE void sum_lanes(const int rows, size_t lanes, const char *a, const char *w, vi sum[LANE_ROWS][2]) {
    for (size_t l = 0; l < lanes; l++, a += 4, w += 4 * LANE_COLS) {
        const vi low = v_get(w), high = v_get(w + 4 * VL);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t lane;
            memcpy(&lane, a + r * LANE_ROW, 4);
            const vi x = lane - (vi){0};
            sum[r][0] = lane_add(sum[r][0], low, x);
            sum[r][1] = lane_add(sum[r][1], high, x);
        }
    }
}

#if defined(NARROW_CODES)
// Lanes whose products fit into int16 together: codes are up to 15, but those of groups of half a block up to 63.
#define SHORT_LANES(terms, lanes) ((terms) == BYTE_SCALES && (lanes) < 8 ? 2 : 8)
_Static_assert(8 * 2 * 15 * 128 <= INT16_MAX && 2 * 2 * 63 * 128 <= INT16_MAX, "sums of lanes");

INLINE void sum_group(const int rows, const size_t run, size_t lanes, const char *a, const char *w, vi sum[LANE_ROWS][2]) {
    for (size_t l = 0; l < lanes; l += run, a += 4 * run, w += 4 * run * LANE_COLS) {
        vi part[LANE_ROWS][2] = {{{0}}};
        sum_lanes(rows, min_size(run, lanes - l), a, w, part);
        UNROLL
        for (int r = 0; r < rows; r++) sum[r][0] = v_add_shorts(sum[r][0], (v_shorts)part[r][0]), sum[r][1] = v_add_shorts(sum[r][1], (v_shorts)part[r][1]);
    }
}
#else
#define SHORT_LANES(terms, lanes) 0
#define sum_group(rows, run, lanes, a, w, sum) sum_lanes(rows, lanes, a, w, sum)
#endif

// Rows, terms, and lanes unless they are 0, are constants wherever this is inlined.
INLINE void tile_of(const int rows, const enum byte_terms terms, const size_t lanes, const struct byte_tile *t, float *out, size_t ld) {
    const size_t each = lanes ? lanes : t->lanes;
    const char *a = t->a, *w = t->w;
    vf total[LANE_ROWS][2];
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < 2; v++) {
            total[r][v] = t->add ? v_load(out + (size_t)r * ld + v * VL) : (vf){0};
            __builtin_prefetch(out + (size_t)r * ld + v * VL, 1);
        }
    }
    for (size_t g = 0; g < t->groups; g++, a += 4 * each, w += 4 * each * LANE_COLS) {
        vi sum[LANE_ROWS][2];
        UNROLL
        for (int r = 0; r < rows; r++) sum[r][0] = sum[r][1] = t->start[g * BYTE_ROWS + (size_t)r] - (vi){0};
        sum_group(rows, SHORT_LANES(terms, lanes), each, a, w, sum);
        scale_group(rows, terms, t, g, sum, total);
    }
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int v = 0; v < 2; v++) v_store(out + (size_t)r * ld + v * VL, total[r][v]);
    }
}

#define BLOCK_LANES (32 / LANE_EACH) // of the usual block
#define ROWS_TILE(rows)                                                                                                      \
    static void bytes_##rows(const struct byte_tile *t, float *out, size_t ld) {                                             \
        const int usual = t->lanes == BLOCK_LANES;                                                                           \
        if (t->terms == BYTE_OFFSETS) tile_of(rows, BYTE_OFFSETS, BLOCK_LANES, t, out, ld); /* which have no other groups */ \
        else if (t->terms == BYTE_SCALES && usual) tile_of(rows, BYTE_SCALES, BLOCK_LANES, t, out, ld);                      \
        else if (t->terms == BYTE_SCALES) tile_of(rows, BYTE_SCALES, BLOCK_LANES / 2, t, out, ld);                           \
        else if (usual) tile_of(rows, BYTE_ZEROS, BLOCK_LANES, t, out, ld);                                                  \
        else tile_of(rows, BYTE_ZEROS, 0, t, out, ld);                                                                       \
    }
ROWS_TILE(1)
ROWS_TILE(2)
#if LANE_ROWS > 2
ROWS_TILE(3)
#endif
#if LANE_ROWS > 3
ROWS_TILE(4)
ROWS_TILE(5)
ROWS_TILE(6)
#endif

static void rows_tile(const struct byte_tile *t, float *out, size_t ld) {
    switch (t->rows) {
    case 1: bytes_1(t, out, ld); break;
    case 2: bytes_2(t, out, ld); break;
#if LANE_ROWS > 2
    case 3: bytes_3(t, out, ld); break;
#endif
#if LANE_ROWS > 3
    case 4: bytes_4(t, out, ld); break;
    case 5: bytes_5(t, out, ld); break;
    case 6: bytes_6(t, out, ld); break;
#endif
    }
}

static void byte_tile(const struct byte_tile *t) {
    if (t->cols == LANE_COLS) {
        rows_tile(t, t->out, t->ld);
        return;
    }
    float out[LANE_ROWS * LANE_COLS] = {0};
    for (size_t r = 0; t->add && r < t->rows; r++) memcpy(out + r * LANE_COLS, t->out + r * t->ld, t->cols * sizeof *out);
    rows_tile(t, out, LANE_COLS);
    for (size_t r = 0; r < t->rows; r++) memcpy(t->out + r * t->ld, out + r * LANE_COLS, t->cols * sizeof *out);
}

#define ROW_ONES ((vi){0} + (LANE_EACH == 4 ? 0x01010101 : 0x00010001))

#if VL >= 8 && LANE_EACH == 4
// Packs what fills eight vectors of a row in groups of eight lanes. Each step adds lanes that are 4, 2 and 1 apart, of two vectors at once.
INLINE void pack_eight(const int8_t *src, char *dst, int32_t *sums) {
    vi part[8];
    int32_t lane[VL];
    UNROLL
    for (int i = 0; i < 8; i++) {
        const vi x = lane_load(src + i * 4 * VL);
        v_put(dst + i * 4 * VL, x);
        part[i] = lane_dot((vi){0}, ROW_ONES, x);
    }
    UNROLL
    for (int i = 0; i < 4; i++) part[i] = (vi)KEPT((vf)part[i], (vf)part[i + 4], 4) + (vi)SWAPPED((vf)part[i], (vf)part[i + 4], 4);
    UNROLL
    for (int i = 0; i < 2; i++) part[i] = (vi)KEPT((vf)part[i], (vf)part[i + 2], 2) + (vi)SWAPPED((vf)part[i], (vf)part[i + 2], 2);
    v_put((char *)lane, (vi)KEPT((vf)part[0], (vf)part[1], 1) + (vi)SWAPPED((vf)part[0], (vf)part[1], 1));
    UNROLL
    for (int i = 0; i < VL; i++) sums[i % 8 * (VL / 8) + i / 8] = lane[i];
}
#endif

static void pack_byte_row(const int8_t *src, size_t n, size_t lanes, char *dst, int32_t *sums) {
    int32_t part[BYTE_DEPTH / LANE_EACH + VL];
    size_t i = 0;
#if VL >= 8 && LANE_EACH == 4
    for (; lanes == 8 && n >= 32 * VL; n -= 32 * VL, src += 32 * VL, dst += 32 * VL, sums += VL) pack_eight(src, dst, sums);
#endif
    for (; i + LANE_EACH * VL <= n; i += LANE_EACH * VL) {
        const vi x = lane_load(src + i);
        v_put(dst + 4 / LANE_EACH * i, x);
        v_put((char *)(part + i / LANE_EACH), lane_dot((vi){0}, ROW_ONES, x));
    }
    if (i < n) {
        int8_t some[LANE_EACH * VL] = {0};
        memcpy(some, src + i, n - i);
        const vi x = lane_load(some);
        v_put(dst + 4 / LANE_EACH * i, x);
        v_put((char *)(part + i / LANE_EACH), lane_dot((vi){0}, ROW_ONES, x));
    }
    const int32_t *from = part;
    for (size_t g = 0; g < n / LANE_EACH / lanes; g++, from += lanes) {
        sums[g] = 0;
        for (size_t l = 0; l < lanes; l++) sums[g] += from[l];
    }
}

static void unpack_bytes_I8(const uint8_t *src, size_t n, int8_t *dst) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) v_put((char *)dst + i, v_get((const char *)src + i) ^ ((vi){0} + (LANE_BIAS ? (int32_t)0x80808080 : 0)));
    for (; i < n; i++) dst[i] = (int8_t)(src[i] ^ (LANE_BIAS ? 0x80 : 0));
}

static void unpack_bytes_I4(const uint8_t *src, size_t n, int8_t *dst) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        const v_shorts_two x = v_widen_two(src + i / 2), codes = ((x & 0x0f) | (x << 4 & 0x0f00)) ^ 0x0808;
        memcpy(dst + i, &codes, sizeof codes);
    }
    for (; i < n; i++) dst[i] = (int8_t)((src[i / 2] >> i % 2 * 4 & 15) ^ 8);
}

// Those of blocks, in order.
#define BYTE_BIAS_Q8_0 LANE_BIAS
#define BYTE_BIAS_Q6_K 32
#define BYTE_BIAS_Q4_1 0
#define BYTE_BIAS_Q4_K 0
#define BYTE_BIAS_Q4_0 8
#define UNPACK_BLOCK_BYTES(type, bits, weights, bytes)                                                                       \
    static void unpack_bytes_##type(const uint8_t *src, size_t n, int8_t *dst) {                                             \
        for (size_t i = 0; i < n; i += weights, src += bytes, dst += weights) {                                              \
            unpack_##type(src, dst);                                                                                         \
            for (size_t w = 0; w < weights; w++) dst[w] = (int8_t)(dst[w] + BYTE_BIAS_##type);                               \
        }                                                                                                                    \
    }
BLOCK_TYPES(UNPACK_BLOCK_BYTES)
#define UNPACK_ENTRY(type, bits) [CPU_##type] = (bits) > LANE_BITS ? NULL : unpack_bytes_##type,
#define UNPACK_BLOCK_ENTRY(type, bits, ...) UNPACK_ENTRY(type, bits)
#define BYTE_BIAS_ENTRY(type, ...) [CPU_##type] = BYTE_BIAS_##type,

static void pack_byte_cols(const int8_t *src, size_t row, size_t lanes, char *dst) {
    for (size_t l = 0; l < lanes; l += VL) {
        for (size_t c = 0; c < LANE_COLS; c += VL) {
            vf t[VL];
            UNROLL
            for (size_t i = 0; i < VL; i++) t[i] = (vf)lane_load(src + (c + i) * row + l * LANE_EACH);
            v_transpose(t);
            UNROLL
            for (size_t i = 0; i < VL; i++) v_store((float *)(void *)(dst + 4 * ((l + i) * LANE_COLS + c)), t[i]);
        }
    }
}

#define BYTE_LOOPS                                                                                                          \
    {                                                                                                                       \
        .rows = LANE_ROWS, .cols = LANE_COLS, .each = LANE_EACH, .bias = {[CPU_I8] = LANE_BIAS, [CPU_I4] = 8, BLOCK_TYPES(BYTE_BIAS_ENTRY)}, \
        .tile = byte_tile, .pack_row = pack_byte_row, .unpack = {UNPACK_ENTRY(I8, 8) UNPACK_ENTRY(I4, 4) BLOCK_TYPES(UNPACK_BLOCK_ENTRY)}, \
        .pack_cols = pack_byte_cols,                                                                                        \
    }
