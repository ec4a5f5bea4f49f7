// Template: ternary weights as int8.
#include "bits.h"

// Four codes of two bits, one in each byte of a lane, each less 1: 3 is 2.
INLINE vu spread_bits(vu byte) {
    const vu codes = (byte | byte << 6 | byte << 12 | byte << 18) & 0x03030303;
    return (codes + 0x7f7f7f7f) ^ 0x80808080;
}

static void unpack_bits(const uint8_t *q, size_t n, int8_t *out) {
    size_t i = 0;
    for (; i + 4 * VL <= n; i += 4 * VL) v_put((char *)out + i, (vi)spread_bits(v_load_bytes(q + i / 4)));
    for (; i < n; i++) out[i] = (int8_t)((q[i / 4] >> i % 4 * 2 & 3) - 1);
}

static const struct bitlinear_loops bitlinear_loops = {.unpack = unpack_bits};
