// out[m,n] = Σ a_scale · (scale · Σ a·code + offset · Σ a) over the groups of weights along k that share a scale, with w[n,k] in
// blocks (see blocks.h) and a in int8 with a scale per block along k. Sums within a group are exact in int32, sums over groups
// are in float. A threadgroup computes a 64×64 tile of out, as in tile.h.

#include "common.h"
#include "blocks.h"
#include "integer_sums.h"
#include "params/blocks.h"

// Rows of w are columns of the output.
template <typename B>
struct BlockCodes {
    device const uchar *w;
    uint rows, k;

    device const uchar *block(uint row, uint d) const { return w + (size_t(row) * (k / B::WEIGHTS) + d / B::WEIGHTS) * B::BYTES; }

    // Four codes minus their bias, from d on, a multiple of four.
    int4 four(uint row, uint d) const {
        if (row >= rows || d >= k) return int4(0);
        return int4(as_type<uchar4>(B::codes(block(row, d), d % B::WEIGHTS))) - int(B::BIAS);
    }
};

// Each thread unpacks four codes at a time.
template <uint TILE, typename B>
static inline void put_codes(thread const BlockCodes<B> &w, uint first, uint k0, uint id, threadgroup int *panel) {
    for (uint e = id; e < TILE * DEPTH / 4; e += SIDE * SIDE) {
        const uint line = e / (DEPTH / 4), d = e % (DEPTH / 4) * 4;
        const int4 v = w.four(first + line, k0 + d);
        for (uint i = 0; i < 4; i++) panel[(d + i) * (TILE + 1) + line] = v[i];
    }
}

template <typename B>
kernel void matmul_blocks_int8(device const char *a [[buffer(0)]],
                               device const float *a_scale [[buffer(1)]],
                               device const uchar *w [[buffer(2)]],
                               device float *out [[buffer(3)]],
                               constant BlockMatmulParams &p [[buffer(4)]],
                               uint2 group [[threadgroup_position_in_grid]],
                               uint2 local [[thread_position_in_threadgroup]]) {
    constexpr uint TILE = MAX_TILE, EACH = TILE / SIDE, ROW = TILE + 1, GROUP = 64 / max(B::SCALES, 2u);
    threadgroup int panels[PANELS];
    threadgroup int *panel_a = panels, *panel_b = panels + DEPTH * ROW;
    const Rows<char, int> rows = {a, p.m, p.k};
    const BlockCodes<B> codes = {w, p.n, p.k};
    const uint row = group.y * TILE + local.y, col = group.x * TILE + local.x;
    float sums[EACH][EACH] = {};
    for (uint from = 0; from < p.k; from += GROUP) {
        IntegerSums<EACH> part = {};
        for (uint k0 = from; k0 < from + GROUP; k0 += DEPTH) {
            put_panel<TILE>(rows, group.y * TILE, k0, local.y * SIDE + local.x, panel_a);
            put_codes<TILE>(codes, group.x * TILE, k0, local.y * SIDE + local.x, panel_b);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            part.add(panel_a, panel_b, DEPTH, local);
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        for (uint j = 0; j < EACH; j++) { // elements outside the matrix have sums of 0 and are not stored
            device const uchar *block = codes.block(min(col + SIDE * j, p.n - 1), from);
            const float scale = B::scale(block, from % B::WEIGHTS), offset = B::offset(block, from % B::WEIGHTS);
            for (uint i = 0; i < EACH; i++) {
                const float by = a_scale[size_t(min(row + SIDE * i, p.m - 1)) * (p.k / B::WEIGHTS) + from / B::WEIGHTS];
                float sum = scale * float(part.at[i][j]);
                if (B::OFFSETS) sum = fma(offset, float(part.of_a[i]), sum);
                sums[i][j] = fma(by, sum, sums[i][j]);
            }
        }
    }
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = row + SIDE * i, c = col + SIDE * j;
            if (r < p.m && c < p.n) out[size_t(r) * p.n + c] = sums[i][j];
        }
    }
}

#define INSTANTIATE(name, blocks)                                                                        \
    template [[host_name("matmul_blocks_int8_tiled_" name)]] kernel void matmul_blocks_int8<blocks>(     \
        device const char *, device const float *, device const uchar *, device float *, constant BlockMatmulParams &, uint2, uint2);

INSTANTIATE("q8_0", Q8_0)
INSTANTIATE("q6_K", Q6_K)
INSTANTIATE("q4_1", Q4_1)
INSTANTIATE("q4_K", Q4_K)
INSTANTIATE("q4_0", Q4_0)
