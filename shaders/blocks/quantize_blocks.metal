// Quantizes a [rows, cols] matrix of floats to blocks of 32, as ggml writes them. Eight lanes share a block, four weights each.
//
// Where something is added to a product, the product is a statement of its own: a fused multiply-add would round only once, which
// could change a code at a tie.

#include "common.h"
#include "params/blocks.h"

constant constexpr uint LANES = 8;

static inline float magnitude(float4 x) { return max(max(abs(x.x), abs(x.y)), max(abs(x.z), abs(x.w))); }
static inline float inverse(float d) { return d == 0.0f ? 0.0f : 1.0f / d; }

static inline float greatest(float x) {
    for (uint far = 1; far < LANES; far *= 2) x = max(x, simd_shuffle_xor(x, ushort(far)));
    return x;
}

// Stores a word at an address that is only 2-byte aligned.
static inline void put_word(device uchar *p, uint word) {
    ((device ushort *)p)[0] = ushort(word);
    ((device ushort *)p)[1] = ushort(word >> 16);
}

static inline uint packed(uint4 codes) { return codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24; }

// Each struct quantizes the weights of a block's lanes; lane 0 stores the scales. All lanes call it, because they exchange
// values; only those with `mine` store.

struct ToQ8_0 {
    static constant constexpr uint BYTES = 34;

    static void put(device uchar *block, float4 x, uint lane, bool mine) {
        const float d = greatest(magnitude(x)) / 127.0f, inv = inverse(d);
        if (!mine) return;
        put_word(block + 2 + 4 * lane, packed(uint4(int4(round(x * inv))) & 255u)); // ties round away from zero
        if (lane == 0) *(device half *)block = half(d);
    }
};

// Four nibbles per lane. Those of the first half of the lanes go to the low nibbles of bytes, those of the second half to the
// high ones.
static inline void put_nibbles(device uchar *at, float4 shifted, uint lane, bool mine) {
    const uint own = packed(uint4(min(int4(shifted), 15))), other = simd_shuffle_xor(own, ushort(LANES / 2));
    if (mine && lane < LANES / 2) put_word(at + 4 * lane, own | other << 4);
}

struct ToQ4_0 {
    static constant constexpr uint BYTES = 18;

    // The weight of largest magnitude, the first of equals.
    static float extreme(float4 x, uint lane) {
        float top = x.x;
        for (uint i = 1; i < 4; i++) top = abs(x[i]) > abs(top) ? x[i] : top;
        for (uint far = 1; far < LANES; far *= 2) {
            const float other = simd_shuffle_xor(top, ushort(far));
            const bool before = (lane & far) != 0;
            if (abs(other) > abs(top) || (before && abs(other) == abs(top))) top = other;
        }
        return top;
    }

    static void put(device uchar *block, float4 x, uint lane, bool mine) {
        const float d = extreme(x, lane) / -8.0f, inv = inverse(d);
        const float4 codes = x * inv;
        put_nibbles(block + 2, codes + 8.5f, lane, mine);
        if (mine && lane == 0) *(device half *)block = half(d);
    }
};

struct ToQ4_1 {
    static constant constexpr uint BYTES = 20;

    static void put(device uchar *block, float4 x, uint lane, bool mine) {
        const float hi = greatest(max(max(x.x, x.y), max(x.z, x.w))), lo = -greatest(-min(min(x.x, x.y), min(x.z, x.w)));
        const float d = (hi - lo) / 15.0f, inv = inverse(d);
        const float4 codes = (x - lo) * inv;
        put_nibbles(block + 4, codes + 0.5f, lane, mine);
        if (!mine || lane > 0) return;
        *(device half *)block = half(d);
        *(device half *)(block + 2) = half(lo);
    }
};

template <typename B>
kernel void quantize_blocks(device const float *x [[buffer(0)]],
                            device uchar *blocks [[buffer(1)]],
                            constant BlockParams &p [[buffer(2)]],
                            uint group [[threadgroup_position_in_grid]],
                            uint local [[thread_position_in_threadgroup]],
                            uint size [[threads_per_threadgroup]]) {
    const size_t all = size_t(p.rows) * (p.cols / 4), four = size_t(group) * size + local, own = min(four, all - 1);
    B::put(blocks + own / LANES * B::BYTES, *(device const float4 *)(x + 4 * own), local % LANES, four < all);
}

#define INSTANTIATE(name, blocks)                                                        \
    template [[host_name("quantize_blocks_" name)]] kernel void quantize_blocks<blocks>( \
        device const float *, device uchar *, constant BlockParams &, uint, uint, uint);

INSTANTIATE("q8_0", ToQ8_0)
INSTANTIATE("q4_1", ToQ4_1)
INSTANTIATE("q4_0", ToQ4_0)
