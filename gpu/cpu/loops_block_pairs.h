// Template: codes of weights in ggml's blocks as pairs of int16, less their bias. VL pairs of a row are read from weight d on, a
// multiple of 2·VL.
#ifndef ASSAY_LOOPS_BLOCK_PAIRS_H
#define ASSAY_LOOPS_BLOCK_PAIRS_H

typedef int16_t pairs __attribute__((vector_size(4 * VL)));
typedef int8_t byte_pairs __attribute__((vector_size(2 * VL)));
typedef uint32_t byte_words __attribute__((vector_size(2 * VL)));

INLINE byte_words bytes_from(const uint8_t *p) {
    byte_words x;
    memcpy(&x, p, sizeof x);
    return x;
}
INLINE vf pairs_less(byte_words codes, const int bias) { return (vf)(__builtin_convertvector((byte_pairs)codes, pairs) - (int16_t)bias); }

INLINE vf pairs_of_Q8_0(const uint8_t *row, size_t d) { return pairs_less(bytes_from(row + d / 32 * 34 + 2 + d % 32), 0); }

// The nibbles of 32 weights, or of half of them.
INLINE byte_words nibbles_from(const uint8_t *p, size_t half) {
    const byte_words low = (byte_words){0} + 0x0f0f0f0fu;
#if VL == 16
    const byte_words zero_four = {0, 0, 0, 0, 4, 4, 4, 4};
    (void)half;
    return (byte_words)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p)) >> zero_four & low;
#else
    return bytes_from(p) >> (4 * (uint32_t)half) & low;
#endif
}
INLINE vf pairs_of_Q4_0(const uint8_t *row, size_t d) { return pairs_less(nibbles_from(row + d / 32 * 18 + 2, d % 32 / 16), 8); }
INLINE vf pairs_of_Q4_1(const uint8_t *row, size_t d) { return pairs_less(nibbles_from(row + d / 32 * 20 + 4, d % 32 / 16), 0); }

INLINE vf pairs_of_Q4_K(const uint8_t *row, size_t d) {
    const size_t at = d % 256;
    const byte_words x = bytes_from(row + d / 256 * 144 + 16 + at / 64 * 32 + at % 32);
    return pairs_less(x >> (uint32_t)(at / 32 % 2 * 4) & ((byte_words){0} + 0x0f0f0f0fu), 0);
}

INLINE vf pairs_of_Q6_K(const uint8_t *row, size_t d) {
    const size_t at = d % 256, side = at / 128, quarter = at / 32 % 4, i = at % 32;
    const uint8_t *block = row + d / 256 * 210;
    const byte_words low = bytes_from(block + 64 * side + 32 * (quarter % 2) + i) >> (uint32_t)(quarter / 2 * 4) & ((byte_words){0} + 0x0f0f0f0fu);
    const byte_words high = bytes_from(block + 128 + 32 * side + i) >> (uint32_t)(2 * quarter) & ((byte_words){0} + 0x03030303u);
    return pairs_less(low | high << 4, 32);
}

#endif
