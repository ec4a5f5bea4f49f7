// out[m,n] = Σ a_scale · scale · (Σ a·q − zero · Σ a) over the blocks along k, with a in int8 and a scale per row and block, and
// w[n,k] as integer codes with a scale and a zero point per block (see codes.h for the layout). Sums within a block are exact in
// int32, sums over blocks are in float. A threadgroup computes a 64×64 tile of out, as in tile.h.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "integer_sums.h"
#include "params/gemm.h"

// Rows of w are columns of the output.
template <typename Q>
struct Codes {
    device const uchar *q;
    uint n, k;

    bool by_depth() const { return true; }

    int at(uint row, uint d) const { return row < n && d < k ? int(code_of<Q>(q, row, d, k)) : 0; }
};

template <typename Q>
kernel void matmul_quant_int8(device const char *a [[buffer(0)]],
                              device const float *a_scale [[buffer(1)]],
                              device const uchar *q [[buffer(2)]],
                              device const uchar *scale [[buffer(3)]],
                              device const uchar *zero [[buffer(4)]],
                              device float *out [[buffer(5)]],
                              constant QuantInt8MatmulParams &p [[buffer(6)]],
                              uint2 group [[threadgroup_position_in_grid]],
                              uint2 local [[thread_position_in_threadgroup]]) {
    constexpr uint TILE = MAX_TILE, EACH = TILE / SIDE, ROW = TILE + 1;
    threadgroup int panels[PANELS];
    threadgroup int *panel_a = panels, *panel_b = panels + DEPTH * ROW;
    const Rows<char, int> rows = {a, p.m, p.k};
    const Codes<Q> codes = {q, p.n, p.k};
    const uint block = p.block == 0 ? p.k : min(p.block, p.k), blocks = p.k == 0 ? 0 : (p.k - 1) / block + 1;
    const uint row = group.y * TILE + local.y, col = group.x * TILE + local.x;
    float sums[EACH][EACH] = {};
    for (uint b = 0; b < blocks; b++) {
        IntegerSums<EACH> part = {};
        const uint end = min(p.k - b * block, block) + b * block;
        for (uint k0 = b * block; k0 < end; k0 += DEPTH) {
            put_panel<TILE>(rows, group.y * TILE, k0, local.y * SIDE + local.x, panel_a);
            put_panel<TILE>(codes, group.x * TILE, k0, local.y * SIDE + local.x, panel_b);
            threadgroup_barrier(mem_flags::mem_threadgroup);
            part.add(panel_a, panel_b, min(DEPTH, end - k0), local);
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        for (uint j = 0; j < EACH; j++) { // elements outside the matrix have sums of 0 and are not stored
            const uint of_w = p.block == 0 ? 0 : min(col + SIDE * j, p.n - 1) * blocks + b;
            for (uint i = 0; i < EACH; i++) {
                const float by = a_scale[min(row + SIDE * i, p.m - 1) * blocks + b] * scale_at(scale, of_w);
                sums[i][j] = fma(fma(-scale_at(zero, of_w), float(part.of_a[i]), float(part.at[i][j])), by, sums[i][j]);
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

#define INSTANTIATE(name, codes)                                                                                            \
    template [[host_name(name)]] kernel void matmul_quant_int8<codes>(                                                      \
        device const char *, device const float *, device const uchar *, device const uchar *, device const uchar *,        \
        device float *, constant QuantInt8MatmulParams &, uint2, uint2);

INSTANTIATE("matmul_quant_int8_tiled_int8", Int8)
INSTANTIATE("matmul_quant_int8_tiled_int4", Int4)
