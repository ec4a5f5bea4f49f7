// out[m,n] = act(a · b + bias[n]) for each of a batch, row-major; a as [m,k] or, with transpose_a, as [k,m], b as [k,n] or, with
// transpose_b, as [n,k]; sums in float. Needs no simdgroup_matrix, so it runs on every Metal GPU.

#include "common.h"
#include "activation.h"
#include "tile.h"
#include "params/gemm.h"

constant bool transpose_b [[function_constant(MATMUL_TRANSPOSE_B)]];
constant bool has_bias [[function_constant(MATMUL_HAS_BIAS)]];
constant int activation [[function_constant(MATMUL_ACTIVATION)]];
constant bool transpose_a [[function_constant(MATMUL_TRANSPOSE_A)]];

// Rows of a or columns of b, `count` of them, where neighbors in memory are neighbors along k or next to each other.
template <typename T>
struct Lines {
    device const T *data;
    uint count, k;
    bool along;

    bool by_depth() const { return along; }

    float at(uint line, uint d) const {
        if (line >= count || d >= k) return 0.0f;
        return float(data[along ? size_t(line) * k + d : size_t(d) * count + line]);
    }
};

template <typename T>
kernel void matmul(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device const T *bias [[buffer(2), function_constant(has_bias)]],
                   device T *out [[buffer(3)]],
                   constant MatmulParams &p [[buffer(4)]],
                   uint3 group [[threadgroup_position_in_grid]],
                   uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup Panels panels;
    const Lines<T> rows = {a + size_t(group.z) * p.m * p.k, p.m, p.k, !transpose_a};
    const Lines<T> columns = {b + size_t(group.z) * p.n * p.k, p.n, p.k, transpose_b};
    const Sums sums = tile_sums(rows, columns, p.k, group.xy, local.xy, panels);
    device T *to = out + size_t(group.z) * p.m * p.n;
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r >= p.m || c >= p.n) continue;
            float v = sums.at[i][j];
            if (has_bias) v += float(bias[c]);
            to[size_t(r) * p.n + c] = T(activate(activation, v));
        }
    }
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
