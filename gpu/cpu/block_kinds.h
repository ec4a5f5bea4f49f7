// Template: the kinds of ggml blocks.
//
// Each kind has unpack, which puts the codes of a block in order, and groups, its scales and offsets for each group of GROUP
// weights; loops_block_dots.h adds what byte products need.
#ifndef ASSAY_BLOCK_KINDS_H
#define ASSAY_BLOCK_KINDS_H
#include <string.h>

#include "blocks.h"

#define PER(n) ((n) > 1 ? (n) : 1)
#define ALL_LANES(x) ((vu){0} + (x))

INLINE float block_half(const uint8_t *p) {
    v_eight_halves h = {0};
    float f[8];
    memcpy(&h, p, 2);
    v_put_halves(f, h);
    return f[0];
}

INLINE uint16_t bits_at(const uint8_t *p) {
    uint16_t h;
    memcpy(&h, p, 2);
    return h;
}

// The f16 values of eight blocks, as floats.
INLINE void eight_halves(const uint8_t *p, size_t apart, float *to) {
    v_put_halves(to, (v_eight_halves){bits_at(p), bits_at(p + apart), bits_at(p + 2 * apart), bits_at(p + 3 * apart), bits_at(p + 4 * apart),
                                      bits_at(p + 5 * apart), bits_at(p + 6 * apart), bits_at(p + 7 * apart)});
}

// q8_0: a scale, then a signed byte for each weight.
#define GROUP_Q8_0 32
INLINE void unpack_Q8_0(const uint8_t *block, int8_t *codes) { memcpy(codes, block + 2, 32); }
INLINE void groups_Q8_0(const uint8_t *block, float *scale, float *offset) { scale[0] = block_half(block), offset[0] = 0; }

// The nibbles of 32 weights: byte j has weight j in its lower half and weight j + 16 in its upper half.
typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));
INLINE void unpack_nibbles(const uint8_t *q, int8_t *codes, const uint8_t bias) {
    sixteen_bytes x;
    memcpy(&x, q, sizeof x);
    const sixteen_bytes low = (x & 15) - bias, high = (x >> 4) - bias;
    memcpy(codes, &low, sizeof low), memcpy(codes + 16, &high, sizeof high);
}

// q4_0: a scale, then nibbles.
#define GROUP_Q4_0 32
INLINE void unpack_Q4_0(const uint8_t *block, int8_t *codes) { unpack_nibbles(block + 2, codes, 8); }
INLINE void groups_Q4_0(const uint8_t *block, float *scale, float *offset) { scale[0] = block_half(block), offset[0] = 0; }

// q4_1: a scale and an offset, then nibbles.
#define GROUP_Q4_1 32
INLINE void unpack_Q4_1(const uint8_t *block, int8_t *codes) { unpack_nibbles(block + 4, codes, 0); }
INLINE void groups_Q4_1(const uint8_t *block, float *scale, float *offset) { scale[0] = block_half(block), offset[0] = block_half(block + 2); }

// q4_K: a scale of the scales and one of the minima, eight scales and eight minima of six bits, then nibbles: byte 32·p + i has
// weight i of groups 2·p and 2·p + 1 of 32.
#define GROUP_Q4_K 32
INLINE void unpack_Q4_K(const uint8_t *block, int8_t *codes) {
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < 32; i++) {
            const uint8_t byte = block[16 + 32 * p + i];
            codes[64 * p + i] = byte & 15, codes[64 * p + 32 + i] = (int8_t)(byte >> 4);
        }
}
// Eight six-bit scales and eight minima, as bytes. The upper two bits of the last four of each are stored with the first four.
INLINE void six_bits(const uint8_t *block, uint64_t *scales, uint64_t *minima) {
    uint32_t p[3];
    memcpy(p, block + 4, sizeof p);
    *scales = (p[0] & 0x3f3f3f3f) | (uint64_t)((p[2] & 0x0f0f0f0f) | (p[0] >> 2 & 0x30303030)) << 32;
    *minima = (p[1] & 0x3f3f3f3f) | (uint64_t)((p[2] >> 4 & 0x0f0f0f0f) | (p[1] >> 2 & 0x30303030)) << 32;
}
INLINE void groups_Q4_K(const uint8_t *block, float *scale, float *offset) {
    uint64_t scales, minima;
    const float d = block_half(block), m = -block_half(block + 2);
    six_bits(block, &scales, &minima);
    for (int g = 0; g < 8; g++) scale[g] = d * (float)(scales >> 8 * g & 255), offset[g] = m * (float)(minima >> 8 * g & 255);
}

// q6_K: the lower four bits of the codes, the upper two, a signed byte as the scale of each group of 16, and the scale of the
// scales.
#define GROUP_Q6_K 16
INLINE void unpack_Q6_K(const uint8_t *block, int8_t *codes) {
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 32; i++) {
            const uint8_t low = block[64 * side + i], next = block[64 * side + 32 + i], high = block[128 + 32 * side + i];
            int8_t *to = codes + 128 * side + i;
            to[0] = (int8_t)((low & 15) | (high & 3) << 4) - 32, to[32] = (int8_t)((next & 15) | (high >> 2 & 3) << 4) - 32;
            to[64] = (int8_t)(low >> 4 | (high >> 4 & 3) << 4) - 32, to[96] = (int8_t)(next >> 4 | high >> 6 << 4) - 32;
        }
}
INLINE void groups_Q6_K(const uint8_t *block, float *scale, float *offset) {
    const float d = block_half(block + 208);
    for (int g = 0; g < 16; g++) scale[g] = d * (int8_t)block[192 + g], offset[g] = 0;
}

#endif
