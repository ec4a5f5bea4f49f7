// Template: blocks of weights to floats, and floats to blocks.
#include "block_kinds.h"

// The weights of whole blocks.
#define DECODE_WHOLE(type, bits, weights, bytes)                                                                  \
    INLINE void decode_whole_##type(const uint8_t *block, float *out) {                                           \
        int8_t codes[weights];                                                                                    \
        float scale[weights / GROUP_##type], offset[weights / GROUP_##type];                                      \
        unpack_##type(block, codes);                                                                              \
        groups_##type(block, scale, offset);                                                                      \
        for (int i = 0; i < weights; i += VL)                                                                     \
            v_store(out + i, v_fma(v_load_i8(codes + i), v_set1(scale[i / GROUP_##type]), v_set1(offset[i / GROUP_##type]))); \
    }                                                                                                             \
    static void decode_##type(const uint8_t *row, size_t first, size_t n, float *out) {                           \
        for (size_t i = first; i < first + n;) {                                                                  \
            const size_t at = i % weights, part = min_size(weights - at, first + n - i);                          \
            float some[weights];                                                                                  \
            decode_whole_##type(row + i / weights * bytes, part == weights ? out : some);                         \
            if (part < weights) memcpy(out, some + at, part * sizeof(float));                                     \
            i += part, out += part;                                                                               \
        }                                                                                                         \
    }
BLOCK_TYPES(DECODE_WHOLE)

#define SCALES(type, bits, weights, bytes)                                                                               \
    static void scales_##type(const uint8_t *row, size_t first, size_t n, float *scale, float *offset) {                \
        for (size_t i = 0; i < n; i += weights)                                                                         \
            groups_##type(row + (first + i) / weights * bytes, scale + i / GROUP_##type, offset + i / GROUP_##type);    \
    }
BLOCK_TYPES(SCALES)

#define FIT_VECTORS (32 / VL) // that hold a block of 32 weights

// The largest and the negated smallest weight of each of VL blocks, of which n exist.
INLINE void block_extremes(const float *x, size_t n, vf *most, vf *least) {
    vf hi[VL], lo[VL];
    for (size_t b = 0; b < VL; b++) {
        const float *at = x + 32 * min_size(b, n - 1);
        hi[b] = v_load(at), lo[b] = v_set1(0) - v_load(at);
        UNROLL
        for (int v = 1; v < FIT_VECTORS; v++) {
            const vf next = v_load(at + v * VL);
            hi[b] = v_max(hi[b], next), lo[b] = v_max(lo[b], v_set1(0) - next);
        }
    }
    UNROLL
    for (int half = VL / 2; half > 0; half /= 2) {
        UNROLL
        for (int i = 0; i < half; i++) {
            hi[i] = v_max(ZIP_LOW(hi[i], hi[i + half]), ZIP_HIGH(hi[i], hi[i + half]));
            lo[i] = v_max(ZIP_LOW(lo[i], lo[i + half]), ZIP_HIGH(lo[i], lo[i + half]));
        }
    }
    *most = hi[0], *least = lo[0];
}

// 1/d, and 0 for 0.
INLINE vf inverse_of(vf d) { return (vf)((vi)(v_set1(1) / d) & (d != v_set1(0))); }

INLINE codes to_codes(vf x) { return __builtin_convertvector(__builtin_convertvector(x, vi), codes); }

INLINE vi less(vf a, vf b) { return a < b; }
INLINE vf pick_where(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }

// Nearest integers, away from zero at a tie.
INLINE vf rint_away(vf x) {
    const vf near = v_rint(x), off = x - near, one = v_set1(1), half = v_set1(0.5f), none = v_set1(0);
    const vf up = (vf)((vi)one & ((off == half) & less(none, x))), down = (vf)((vi)one & ((off == none - half) & less(x, none)));
    return near + up - down;
}

INLINE void put_Q8_0(const float *x, float inv, uint8_t *to) {
    UNROLL
    for (int v = 0; v < FIT_VECTORS; v++) {
        const codes c = to_codes(rint_away(v_load(x + v * VL) * v_set1(inv)));
        memcpy(to + v * VL, &c, VL);
    }
}

// 32 codes from 0 to 15 of (x − low)·inv + more as nibbles.
INLINE void put_nibbles(const float *x, float low, float inv, float more, uint8_t *to) {
    UNROLL
    for (int v = 0; v < FIT_VECTORS / 2; v++) {
        const vf first = (v_load(x + v * VL) - v_set1(low)) * v_set1(inv), second = (v_load(x + 16 + v * VL) - v_set1(low)) * v_set1(inv);
        const vi top = (vi){0} + 15;
        vi a = __builtin_convertvector(first + v_set1(more), vi), b = __builtin_convertvector(second + v_set1(more), vi);
        a = (a & (a < top)) | (top & ~(a < top)), b = (b & (b < top)) | (top & ~(b < top));
        const codes c = __builtin_convertvector(a | b << 4, codes);
        memcpy(to + v * VL, &c, VL);
    }
}

// The weight of largest magnitude; the first if several are equal.
INLINE float first_extreme(const float *x, float magnitude) {
    for (int i = 0; i < 32; i++)
        if (fabsf(x[i]) == magnitude) return x[i];
    return 0;
}

INLINE void encode_Q8_0(const float *x, size_t n, vf most, vf least, uint8_t *out) {
    const vf d = v_max(most, least) / v_set1(127), inv = inverse_of(d);
    uint16_t half[VL];
    v_store_f16(half, d);
    for (size_t b = 0; b < n; b++, x += 32, out += 34) memcpy(out, half + b, 2), put_Q8_0(x, inv[b], out + 2);
}

INLINE void encode_Q4_0(const float *x, size_t n, vf most, vf least, uint8_t *out) {
    float top[VL];
    v_store(top, pick_where(less(least, most), most, v_set1(0) - least));
    for (size_t b = 0; b < n; b++)
        if (most[b] == least[b]) top[b] = first_extreme(x + 32 * b, most[b]);
    const vf d = v_load_n(top, n) / v_set1(-8), inv = inverse_of(d);
    uint16_t half[VL];
    v_store_f16(half, d);
    for (size_t b = 0; b < n; b++, x += 32, out += 18) memcpy(out, half + b, 2), put_nibbles(x, 0, inv[b], 8.5f, out + 2);
}

INLINE void encode_Q4_1(const float *x, size_t n, vf most, vf least, uint8_t *out) {
    const vf low = v_set1(0) - least, d = (most - low) / v_set1(15), inv = inverse_of(d);
    uint16_t half[VL], minimum[VL];
    v_store_f16(half, d), v_store_f16(minimum, low);
    for (size_t b = 0; b < n; b++, x += 32, out += 20) {
        memcpy(out, half + b, 2), memcpy(out + 2, minimum + b, 2);
        put_nibbles(x, low[b], inv[b], 0.5f, out + 4);
    }
}

#define ENCODE(type, bits, weights, bytes)                                        \
    static void encode_all_##type(const float *x, size_t n, uint8_t *out) {       \
        for (size_t b = 0; b < n; b += VL) {                                      \
            const size_t some = min_size(VL, n - b);                              \
            vf most, least;                                                       \
            block_extremes(x + weights * b, some, &most, &least);                 \
            encode_##type(x + weights * b, some, most, least, out + bytes * b);   \
        }                                                                         \
    }
MADE_BLOCK_TYPES(ENCODE)

#define DECODE_ENTRY(type, ...) [CPU_##type] = decode_##type,
#define GROUP_ENTRY(type, ...) [CPU_##type] = GROUP_##type,
#define SCALES_ENTRY(type, ...) [CPU_##type] = scales_##type,
#define ENCODE_ENTRY(type, ...) [CPU_##type] = encode_all_##type,
static const struct blocks_loops blocks_loops = {
    .decode = {BLOCK_TYPES(DECODE_ENTRY)},
    .group = {BLOCK_TYPES(GROUP_ENTRY)},
    .scales = {BLOCK_TYPES(SCALES_ENTRY)},
    .encode = {MADE_BLOCK_TYPES(ENCODE_ENTRY)},
};
