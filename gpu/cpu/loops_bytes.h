// Template: int8 activations times integer codes: how both are packed, and what a group of them adds.
#include "block_kinds.h"
#include "bytes.h"
#include "quant.h"

#if defined(TILE_ROWS) // tile products, which BYTE_TILE names
#define LANE_EACH 4
#define LANE_BIAS 0
INLINE vi lane_dot(vi sum, vi w, vi a) { return v_dot(sum, w, a); } // of unsigned w
INLINE vi lane_load(const int8_t *p) { return v_get((const char *)p); }
#elif defined(NARROW_CODES) // sums of byte products of a few lanes are int16
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
#else // sums of two products are computed in int16
#define LANE_EACH 2
#define LANE_BIAS 0
INLINE vi lane_dot(vi sum, vi w, vi a) { return v_dot_pairs(sum, w, a); }
INLINE vi lane_load(const int8_t *p) { return v_load_pairs(p); }
#endif

#if defined(TILE_ROWS)
#define CODE_BIAS(bias) 0
#else
#define CODE_BIAS(bias) bias
#endif

#if !defined(LANE_BITS)
#define LANE_BITS 8
#define lane_add(sum, w, a) lane_dot(sum, w, a)
#endif

// Rows of a tile: as many as the registers allow, with their integer and float sums.
#if defined(TILE_ROWS)
#define LANE_ROWS TILE_ROWS
#elif VL == 16 || defined(__aarch64__)
#define LANE_ROWS 6
#elif VL == 8
#define LANE_ROWS 3
#else
#define LANE_ROWS 2
#endif
#define LANE_COLS (2 * VL)
#define LANE_ROW BYTE_ROW(LANE_EACH)

// total plus the contribution of a group: a_scale · scale · (part − zero · the sum of activations), or a_scale · (scale · part +
// offset · that sum).
INLINE vf add_scaled(const enum byte_terms terms, vf total, vf part, vf scale, vf term, float sum, float a_scale) {
    vf by = v_set1(a_scale);
    if (terms == BYTE_ZEROS) part = v_fma(term, v_set1(sum), part);
    if (terms == BYTE_OFFSETS) part = v_fma(term, v_set1(sum), part * scale);
    else by *= scale;
    return v_fma(part, by, total);
}

#if !defined(TILE_ROWS)
#include "loops_byte_tiles.h"
#define BYTE_TILE .tile = byte_tile, .least = 3e7,
#endif

#define ROW_ONES ((vi){0} + (LANE_EACH == 4 ? 0x01010101 : 0x00010001))

#if VL >= 8 && LANE_EACH == 4
#define PAIR_UP(part, d) \
    UNROLL               \
    for (int i = 0; i < (d); i++) part[i] = (vi)KEPT((vf)part[i], (vf)part[i + (d)], d) + (vi)SWAPPED((vf)part[i], (vf)part[i + (d)], d);

// Packs as many vectors of a row as a group has lanes, 8 or 4. Each step adds lanes that are 4, 2 and 1 apart, for two vectors at
// once.
INLINE void pack_lanes(const int lanes, const int8_t *src, char *dst, int32_t *sums) {
    vi part[8];
    int32_t lane[VL];
    UNROLL
    for (int i = 0; i < lanes; i++) {
        const vi x = lane_load(src + i * 4 * VL);
        v_put(dst + i * 4 * VL, x);
        part[i] = lane_dot((vi){0}, ROW_ONES, x);
    }
    if (lanes == 8) {
        PAIR_UP(part, 4)
    }
    PAIR_UP(part, 2)
    PAIR_UP(part, 1)
    v_put((char *)lane, part[0]);
    UNROLL
    for (int i = 0; i < VL; i++) sums[i % lanes * (VL / lanes) + i / lanes] = lane[i];
}
#endif

static void pack_byte_row(const int8_t *src, size_t n, size_t lanes, char *dst, int32_t *sums) {
    int32_t part[BYTE_DEPTH / LANE_EACH + VL];
    size_t i = 0;
#if VL >= 8 && LANE_EACH == 4
    for (; lanes == 8 && n >= 32 * VL; n -= 32 * VL, src += 32 * VL, dst += 32 * VL, sums += VL) pack_lanes(8, src, dst, sums);
    for (; lanes == 4 && n >= 16 * VL; n -= 16 * VL, src += 16 * VL, dst += 16 * VL, sums += VL) pack_lanes(4, src, dst, sums);
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

// A nibble as a code with its bias: the unsigned nibble itself if the bias is 8.
#define NIBBLES(x) (CODE_BIAS(8) ? (x) ^ 0x0808 : ((((x) ^ 0x0808) | (int16_t)0x8080) - 0x0808) ^ (int16_t)0x8080)

static void unpack_bytes_I4(const uint8_t *src, size_t n, int8_t *dst) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        const v_shorts_two x = v_widen_two(src + i / 2), codes = NIBBLES((x & 0x0f) | (x << 4 & 0x0f00));
        memcpy(dst + i, &codes, sizeof codes);
    }
    for (; i < n; i++) dst[i] = (int8_t)(((src[i / 2] >> i % 2 * 4 & 15) ^ 8) - 8 + CODE_BIAS(8));
}

// Adds the bias to freshly unpacked codes, at most as many at a time as a store wrote: a load that spans two stores waits for
// both.
INLINE void add_bias(int8_t *codes, size_t n, int bias) {
    for (size_t i = 0; i < n; i += sizeof(sixteen_bytes)) {
        sixteen_bytes x;
        memcpy(&x, codes + i, sizeof x);
        x += (uint8_t)bias;
        memcpy(codes + i, &x, sizeof x);
    }
}

// Those of blocks, in order.
#define BYTE_BIAS_Q8_0 LANE_BIAS
#define BYTE_BIAS_Q6_K CODE_BIAS(32)
#define BYTE_BIAS_Q4_1 0
#define BYTE_BIAS_Q4_K 0
#define BYTE_BIAS_Q4_0 CODE_BIAS(8)
#define UNPACK_BLOCK_BYTES(type, bits, weights, bytes)                                                                       \
    static void unpack_bytes_##type(const uint8_t *src, size_t n, int8_t *dst) {                                             \
        for (size_t i = 0; i < n; i += weights, src += bytes, dst += weights) {                                              \
            unpack_##type(src, dst);                                                                                         \
            if (BYTE_BIAS_##type) add_bias(dst, weights, BYTE_BIAS_##type);                                                  \
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

INLINE void turn_columns(const size_t cols, const float *src, size_t row, size_t groups, float *dst) {
    for (size_t g = 0; g < groups; g += VL) {
        for (size_t c = 0; c < cols; c += VL) {
            vf t[VL];
            UNROLL
            for (size_t i = 0; i < VL; i++) t[i] = v_load(src + (c + i) * row + g);
            v_transpose(t);
            for (size_t i = 0; i < min_size(VL, groups - g); i++) v_store(dst + (g + i) * cols + c, t[i]);
        }
    }
}

static void turn_terms(const float *src, size_t row, size_t groups, float *dst) { turn_columns(LANE_COLS, src, row, groups, dst); }

_Static_assert(LANE_COLS <= BYTE_COLS, "columns of a tile");

#define BYTE_LOOPS                                                                                                          \
    {                                                                                                                       \
        .rows = LANE_ROWS, .cols = LANE_COLS, .each = LANE_EACH, .digits = 1, .terms = 1, .bias = {[CPU_I8] = LANE_BIAS, [CPU_I4] = CODE_BIAS(8), BLOCK_TYPES(BYTE_BIAS_ENTRY)}, \
        BYTE_TILE .pack_row = pack_byte_row, .unpack = {UNPACK_ENTRY(I8, 8) UNPACK_ENTRY(I4, 4) BLOCK_TYPES(UNPACK_BLOCK_ENTRY)}, \
        .pack_cols = pack_byte_cols, .turn = turn_terms,                                                                                        \
    }
