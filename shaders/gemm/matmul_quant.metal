// out[m,n] = a[m,k] · wᵀ, with a in float and w[n,k] as codes with a scale per block and, for integer codes, a zero point (see
// codes.h for the layout). A threadgroup computes a 64×64 tile of out (see tile.h). Weights are dequantized on their way into
// threadgroup memory; sums are in float.

#include "common.h"
#include "codes.h"
#include "scales.h"
#include "tile.h"
#include "params/gemm.h"

// Rows of w are columns of the output.
template <typename Q>
struct Weights {
    device const uchar *q;
    device const uchar *scale, *zero;
    uint n, k, block;

    bool by_depth() const { return true; }

    float at(uint row, uint d) const {
        if (row >= n || d >= k) return 0.0f;
        return weight_at<Q>(q, scale, zero, row, d, k, block);
    }
};

template <typename Q>
kernel void matmul_quant(device const float *a [[buffer(0)]],
                         device const uchar *q [[buffer(1)]],
                         device const uchar *scale [[buffer(2)]],
                         device const uchar *zero [[buffer(3)]],
                         device float *out [[buffer(4)]],
                         constant QuantMatmulParams &p [[buffer(5)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         uint2 local [[thread_position_in_threadgroup]]) {
    constexpr uint TILE = MAX_TILE, EACH = TILE / SIDE;
    threadgroup float panels[PANELS];
    const Rows<float> rows = {a, p.m, p.k};
    const Weights<Q> weights = {q, scale, zero, p.n, p.k, p.block};
    const Sums<EACH, float> sums = tile_sums<EACH>(rows, weights, p.k, group, local, panels);
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r < p.m && c < p.n) out[size_t(r) * p.n + c] = sums.at[i][j];
        }
    }
}

#define INSTANTIATE(name, codes)                                       \
    template [[host_name(name)]] kernel void matmul_quant<codes>(      \
        device const float *, device const uchar *, device const uchar *, device const uchar *, device float *, constant QuantMatmulParams &, \
        uint2, uint2);

INSTANTIATE("matmul_quant_tiled_int8", Int8)
INSTANTIATE("matmul_quant_tiled_int4", Int4)
INSTANTIATE("matmul_quant_tiled_e4m3", E4M3)
INSTANTIATE("matmul_quant_tiled_e5m2", E5M2)
INSTANTIATE("matmul_quant_tiled_ternary", Ternary)
