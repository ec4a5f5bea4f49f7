// out[m,n] = a[m,k] · wᵀ, with a in float and w[n,k] in blocks (see blocks.h). A threadgroup computes a 64×64 tile of out (see
// tile.h). Weights are dequantized on their way into threadgroup memory; sums are in float.

#include "common.h"
#include "blocks.h"
#include "tile.h"
#include "params/blocks.h"

// Rows of w are columns of the output.
template <typename B>
struct BlockRows {
    device const uchar *w;
    uint rows, k;

    // Four weights from d on, a multiple of four.
    float4 four(uint row, uint d) const {
        if (row >= rows || d >= k) return float4(0.0f);
        return four_weights<B>(w + (size_t(row) * (k / B::WEIGHTS) + d / B::WEIGHTS) * B::BYTES, d % B::WEIGHTS);
    }
};

// Each thread dequantizes four weights at a time.
template <uint TILE, typename B, typename V>
static inline void put_panel(thread const BlockRows<B> &w, uint first, uint k0, uint id, threadgroup V *panel) {
    for (uint e = id; e < TILE * DEPTH / 4; e += SIDE * SIDE) {
        const uint line = e / (DEPTH / 4), d = e % (DEPTH / 4) * 4;
        const float4 v = w.four(first + line, k0 + d);
        for (uint i = 0; i < 4; i++) panel[(d + i) * (TILE + 1) + line] = v[i];
    }
}

template <typename B>
kernel void matmul_blocks(device const float *a [[buffer(0)]],
                          device const uchar *w [[buffer(1)]],
                          device float *out [[buffer(2)]],
                          constant BlockMatmulParams &p [[buffer(3)]],
                          uint2 group [[threadgroup_position_in_grid]],
                          uint2 local [[thread_position_in_threadgroup]]) {
    constexpr uint TILE = MAX_TILE, EACH = TILE / SIDE;
    threadgroup float panels[PANELS];
    const Rows<float> rows = {a, p.m, p.k};
    const BlockRows<B> weights = {w, p.n, p.k};
    const Sums<EACH, float> sums = tile_sums<EACH>(rows, weights, p.k, group, local, panels);
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r < p.m && c < p.n) out[size_t(r) * p.n + c] = sums.at[i][j];
        }
    }
}

#define INSTANTIATE(name, blocks)                                                            \
    template [[host_name("matmul_blocks_tiled_" name)]] kernel void matmul_blocks<blocks>(    \
        device const float *, device const uchar *, device float *, constant BlockMatmulParams &, uint2, uint2);

INSTANTIATE("q8_0", Q8_0)
INSTANTIATE("q6_K", Q6_K)
INSTANTIATE("q4_1", Q4_1)
INSTANTIATE("q4_K", Q4_K)
INSTANTIATE("q4_0", Q4_0)
