// out[n] = a[k] · wᵀ as in matmul_blocks.metal, for one row of a (see blocks_gemv.h).

#include "common.h"
#include "blocks_gemv.h"

constant int outputs [[function_constant(BLOCKS_OUTPUTS)]]; // rows of w per SIMD group: 2, 4 or 8

template <typename B>
kernel void matmul_blocks_vector(device const float *a [[buffer(0)]],
                                 device const uchar *w [[buffer(1)]],
                                 device float *out [[buffer(2)]],
                                 constant BlockMatmulParams &p [[buffer(3)]],
                                 uint3 group [[threadgroup_position_in_grid]],
                                 uint3 size [[threads_per_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]],
                                 uint simd [[simdgroup_index_in_threadgroup]]) {
    const BlockOperands x = {a, w, p.m, p.n, p.k};
    const uint first = (group.x * (size.x / SIMD) + simd) * outputs;
    if (outputs == 2) multiply_blocks<B, 1, 2>(x, first, out, lane);
    else if (outputs == 4) multiply_blocks<B, 1, 4>(x, first, out, lane);
    else multiply_blocks<B, 1, 8>(x, first, out, lane);
}

#define INSTANTIATE(name, blocks)                                                                    \
    template [[host_name("matmul_blocks_vector_" name)]] kernel void matmul_blocks_vector<blocks>( \
        device const float *, device const uchar *, device float *, constant BlockMatmulParams &, uint3, uint3, uint, uint);

INSTANTIATE("q8_0", Q8_0)
INSTANTIATE("q6_K", Q6_K)
INSTANTIATE("q4_1", Q4_1)
INSTANTIATE("q4_K", Q4_K)
INSTANTIATE("q4_0", Q4_0)
