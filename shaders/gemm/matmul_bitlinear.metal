// out[m,n] = a[m,k] · wᵀ · a_scale[m] · scale, with a in int8 and w[n,k] ternary, two bits per weight. Sums are exact in int32. A
// threadgroup computes a 64×64 tile of out (see tile.h).

#include "common.h"
#include "codes.h"
#include "tile.h"
#include "params/gemm.h"

// Rows of w are columns of the output.
struct Signs {
    device const uchar *q;
    uint n, k;

    bool by_depth() const { return true; }

    int at(uint row, uint d) const {
        return row < n && d < k ? int(q[row * row_bytes<Ternary>(k) + d / 4] >> (d % 4 * 2) & 3) - 1 : 0;
    }
};

kernel void matmul_bitlinear_tiled_ternary(device const char *a [[buffer(0)]],
                                           device const float *a_scale [[buffer(1)]],
                                           device const uchar *q [[buffer(2)]],
                                           device const float *scale [[buffer(3)]],
                                           device float *out [[buffer(4)]],
                                           constant BitLinearParams &p [[buffer(5)]],
                                           uint2 group [[threadgroup_position_in_grid]],
                                           uint2 local [[thread_position_in_threadgroup]]) {
    constexpr uint TILE = MAX_TILE, EACH = TILE / SIDE;
    threadgroup int panels[PANELS];
    const Rows<char, int> rows = {a, p.m, p.k};
    const Signs weights = {q, p.n, p.k};
    const Sums<EACH, int> sums = tile_sums<EACH>(rows, weights, p.k, group, local, panels);
    for (uint i = 0; i < EACH; i++) {
        const uint r = group.y * TILE + local.y + SIDE * i;
        if (r >= p.m) return;
        const float by = a_scale[r] * scale[0];
        for (uint j = 0; j < EACH; j++) {
            const uint c = group.x * TILE + local.x + SIDE * j;
            if (c < p.n) out[size_t(r) * p.n + c] = float(sums.at[i][j]) * by;
        }
    }
}
