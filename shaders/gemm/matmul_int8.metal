// out[m,n] = a[m,k] · wᵀ, with a and w[n,k] in int8. Sums are exact in int32. A threadgroup computes a 64×64 tile of out (see
// tile.h). Needs no simdgroup_matrix, so it runs on every Metal GPU.

#include "common.h"
#include "tile.h"
#include "params/gemm.h"

kernel void matmul_int8_tiled_int8(device const char *a [[buffer(0)]],
                                   device const char *w [[buffer(1)]],
                                   device int *out [[buffer(2)]],
                                   constant Int8MatmulParams &p [[buffer(3)]],
                                   uint2 group [[threadgroup_position_in_grid]],
                                   uint2 local [[thread_position_in_threadgroup]]) {
    constexpr uint TILE = MAX_TILE, EACH = TILE / SIDE;
    threadgroup int panels[PANELS];
    const Rows<char, int> rows = {a, p.m, p.k}, weights = {w, p.n, p.k};
    const Sums<EACH, int> sums = tile_sums<EACH>(rows, weights, p.k, group, local, panels);
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r < p.m && c < p.n) out[size_t(r) * p.n + c] = sums.at[i][j];
        }
    }
}
