// out[m,n] = act(a[m,k] · b + bias[n]), row-major, b as [k,n] or, with transpose_b, as [n,k]; sums in float. Needs no
// simdgroup_matrix, so it runs on every Metal GPU.

#include "common.h"
#include "activation.h"
#include "tile.h"
#include "params/gemm.h"

constant bool transpose_b [[function_constant(MATMUL_TRANSPOSE_B)]];
constant bool has_bias [[function_constant(MATMUL_HAS_BIAS)]];
constant int activation [[function_constant(MATMUL_ACTIVATION)]];

// Columns of b in either layout.
template <typename T>
struct Columns {
    device const T *data;
    uint n, k;

    bool by_depth() const { return transpose_b; }

    float at(uint col, uint d) const {
        if (col >= n || d >= k) return 0.0f;
        return float(data[transpose_b ? size_t(col) * k + d : size_t(d) * n + col]);
    }
};

template <typename T>
kernel void matmul(device const T *a [[buffer(0)]],
                   device const T *b [[buffer(1)]],
                   device const T *bias [[buffer(2), function_constant(has_bias)]],
                   device T *out [[buffer(3)]],
                   constant MatmulParams &p [[buffer(4)]],
                   uint2 group [[threadgroup_position_in_grid]],
                   uint2 local [[thread_position_in_threadgroup]]) {
    threadgroup Panels panels;
    const Rows<T> rows = {a, p.m, p.k};
    const Columns<T> columns = {b, p.n, p.k};
    const Sums sums = tile_sums(rows, columns, p.k, group, local, panels);
    for (uint i = 0; i < EACH; i++) {
        for (uint j = 0; j < EACH; j++) {
            const uint r = group.y * TILE + local.y + SIDE * i, c = group.x * TILE + local.x + SIDE * j;
            if (r >= p.m || c >= p.n) continue;
            float v = sums.at[i][j];
            if (has_bias) v += float(bias[c]);
            out[size_t(r) * p.n + c] = T(activate(activation, v));
        }
    }
}

template [[host_name("matmul_tiled_f32")]] kernel void matmul<float>(
    device const float *, device const float *, device const float *, device float *,
    constant MatmulParams &, uint2, uint2);
template [[host_name("matmul_tiled_f16")]] kernel void matmul<half>(
    device const half *, device const half *, device const half *, device half *,
    constant MatmulParams &, uint2, uint2);
