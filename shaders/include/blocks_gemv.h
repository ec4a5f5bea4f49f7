// Multiplies ROWS rows of a by rows of w, whose blocks are read straight from device memory. A SIMD group takes OUTPUTS rows of
// w, and a lane one part of each at a time, so that what it reads of a serves all of them.
#include "blocks.h"
#include "params/blocks.h"

// The operands a[m,k] and w[n,k].
struct BlockOperands {
    device const float *a;
    device const uchar *w;
    uint m, n, k;
};

// Adds the products with one row of a. Scales are applied to sums over codes rather than to each weight.
template <typename B, uint OUTPUTS>
static inline void add_scaled(device const float *a, device const uchar *w, size_t row, uint last, uint part,
                              thread float (&sums)[1][OUTPUTS]) {
    constexpr uint EACH = 4 / B::SCALES;
    float4 v[4];
    float all[B::SCALES];
    for (uint i = 0; i < 4; i++) v[i] = *(device const float4 *)(a + B::place(part, i));
    for (uint s = 0; s < B::SCALES; s++) {
        float4 of_a = v[s * EACH];
        for (uint i = 1; i < EACH; i++) of_a += v[s * EACH + i];
        all[s] = of_a.x + of_a.y + (of_a.z + of_a.w);
    }
    for (uint o = 0; o < OUTPUTS; o++) {
        device const uchar *block = w + row * min(o, last);
        for (uint s = 0; s < B::SCALES; s++) {
            const uint first = B::place(part, s * EACH);
            float sum = 0.0f;
            for (uint i = s * EACH; i < (s + 1) * EACH; i++) {
                const float4 codes = four_floats(B::codes(block, B::place(part, i)), B::BIAS);
                for (uint j = 0; j < 4; j++) sum = fma(v[i][j], codes[j], sum);
            }
            sums[0][o] = fma(B::scale(block, first), sum, sums[0][o]);
            if (B::OFFSETS) sums[0][o] = fma(B::offset(block, first), all[s], sums[0][o]);
        }
    }
}

// Adds the products with several rows of a, of which m exist. Each weight is scaled once for all of them.
template <typename B, uint ROWS, uint OUTPUTS>
static inline void add_weights(device const float *a, uint m, uint k, device const uchar *w, size_t row, uint last, uint part,
                               thread float (&sums)[ROWS][OUTPUTS]) {
    for (uint i = 0; i < 4; i++) {
        const uint at = B::place(part, i);
        float4 v[ROWS];
        for (uint r = 0; r < ROWS; r++) v[r] = *(device const float4 *)(a + size_t(min(r, m - 1)) * k + at);
        for (uint o = 0; o < OUTPUTS; o++) {
            const float4 weights = four_weights<B>(w + row * min(o, last), at);
            for (uint r = 0; r < ROWS; r++)
                for (uint j = 0; j < 4; j++) sums[r][o] = fma(v[r][j], weights[j], sums[r][o]);
        }
    }
}

// Picks add_scaled for one row of a, add_weights for more.
template <typename B, uint ROWS, uint OUTPUTS>
struct Parts {
    static void add(thread const BlockOperands &x, device const float *a, device const uchar *w, size_t row, uint last, uint part,
                    thread float (&sums)[ROWS][OUTPUTS]) {
        add_weights<B, ROWS, OUTPUTS>(a, x.m, x.k, w, row, last, part, sums);
    }
};
template <typename B, uint OUTPUTS>
struct Parts<B, 1, OUTPUTS> {
    static void add(thread const BlockOperands &, device const float *a, device const uchar *w, size_t row, uint last, uint part,
                    thread float (&sums)[1][OUTPUTS]) {
        add_scaled<B, OUTPUTS>(a, w, row, last, part, sums);
    }
};

// Multiplies OUTPUTS rows of w, from row `first` on, by up to ROWS rows of a.
template <typename B, uint ROWS, uint OUTPUTS>
static inline void multiply_blocks(thread const BlockOperands &x, uint first, device float *out, uint lane) {
    constexpr uint PARTS = B::WEIGHTS / 16;
    if (first >= x.n) return;
    const uint last = x.n - 1 - first; // rows past it are clamped to it and not stored
    const size_t row = size_t(x.k / B::WEIGHTS) * B::BYTES;
    device const uchar *w = x.w + first * row;
    float sums[ROWS][OUTPUTS] = {};
    for (uint p = lane; p < x.k / 16; p += SIMD) {
        const uint block = p / PARTS;
        Parts<B, ROWS, OUTPUTS>::add(x, x.a + block * B::WEIGHTS, w + size_t(block) * B::BYTES, row, last, p % PARTS, sums);
    }
    for (uint r = 0; r < ROWS; r++) {
        for (uint o = 0; o < OUTPUTS; o++) {
            const float sum = simd_sum(sums[r][o]);
            if (lane == 0 && r < x.m && o <= last) out[size_t(r) * x.n + first + o] = sum;
        }
    }
}
