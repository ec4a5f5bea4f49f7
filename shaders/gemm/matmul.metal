// out[m,n] = act(a · b + bias[n]) for each matrix of a batch, row-major. a is [m,k] or, with transpose_a, [k,m]; b is [k,n] or,
// with transpose_b, [n,k]. Sums are in float.
//
// A threadgroup computes a square tile of out, and both operands pass through threadgroup memory (see tile.h). Needs no
// simdgroup_matrix, so it runs on every Metal GPU.

#include "common.h"
#include "matmul.h"
#include "tile.h"

constant int tile [[function_constant(MATMUL_TILE)]]; // rows and columns of a threadgroup's tile: 16, 32 or 64

template <uint TILE, typename T>
static inline void multiply(device const T *a, device const T *b, device const T *bias, device T *out,
                            constant MatmulParams &p, uint3 group, uint2 local, threadgroup float *panels) {
    constexpr uint EACH = TILE / SIDE;
    const Lines<T> rows = rows_of(a, p, group.z), columns = columns_of(b, p, group.z);
    const Sums<EACH, float> sums = tile_sums<EACH>(rows, columns, p.k, group.xy, local, panels);
    device T *to = out + size_t(group.z) * p.m * p.n;
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r < p.m && c < p.n) to[size_t(r) * p.n + c] = T(finished(sums.at[i][j], bias, c));
        }
    }
}

template <typename T>
kernel void matmul(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device const T *bias [[buffer(2), function_constant(has_bias)]],
                   device T *out [[buffer(3)]],
                   constant MatmulParams &p [[buffer(4)]],
                   uint3 group [[threadgroup_position_in_grid]],
                   uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup float panels[PANELS];
    if (tile == 16) multiply<16>(a, b, bias, out, p, group, local.xy, panels);
    else if (tile == 32) multiply<32>(a, b, bias, out, p, group, local.xy, panels);
    else multiply<64>(a, b, bias, out, p, group, local.xy, panels);
}

#define INSTANTIATE(name, type)                                                                  \
    template [[host_name(name)]] kernel void matmul<type>(device const type *, device const type *, \
                                                          device const type *, device type *,       \
                                                          constant MatmulParams &, uint3, uint3);

INSTANTIATE("matmul_tiled_f32", float)
INSTANTIATE("matmul_tiled_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_tiled_bf16", bfloat)
#endif
