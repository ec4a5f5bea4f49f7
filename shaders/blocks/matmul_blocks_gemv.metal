// out[m,n] = a[m,k] · wᵀ as in matmul_blocks.metal, for a few rows of a. These are taken up to four at a time, so that the sums
// fit into registers (see blocks_gemv.h).

#include "common.h"
#include "blocks_gemv.h"

constant int outputs [[function_constant(BLOCKS_OUTPUTS)]]; // rows of w per SIMD group: 2 or 4

template <typename B, uint OUTPUTS>
static inline void multiply_few(thread BlockOperands &x, uint first, device float *out, uint lane) {
    const uint m = x.m;
    device const float *a = x.a;
    if (m <= 2) {
        multiply_blocks<B, 2, OUTPUTS>(x, first, out, lane);
        return;
    }
    for (uint r = 0; r < m; r += 4) {
        x.m = min(4u, m - r);
        x.a = a + size_t(r) * x.k;
        multiply_blocks<B, 4, OUTPUTS>(x, first, out + size_t(r) * x.n, lane);
    }
}

template <typename B>
kernel void matmul_blocks_gemv(device const float *a [[buffer(0)]],
                               device const uchar *w [[buffer(1)]],
                               device float *out [[buffer(2)]],
                               constant BlockMatmulParams &p [[buffer(3)]],
                               uint3 group [[threadgroup_position_in_grid]],
                               uint3 size [[threads_per_threadgroup]],
                               uint lane [[thread_index_in_simdgroup]],
                               uint simd [[simdgroup_index_in_threadgroup]]) {
    BlockOperands x = {a, w, p.m, p.n, p.k};
    const uint first = (group.x * (size.x / SIMD) + simd) * outputs;
    if (outputs == 2) multiply_few<B, 2>(x, first, out, lane);
    else multiply_few<B, 4>(x, first, out, lane);
}

#define INSTANTIATE(name, blocks)                                                                \
    template [[host_name("matmul_blocks_gemv_" name)]] kernel void matmul_blocks_gemv<blocks>( \
        device const float *, device const uchar *, device float *, constant BlockMatmulParams &, uint3, uint3, uint, uint);

INSTANTIATE("q8_0", Q8_0)
INSTANTIATE("q6_K", Q6_K)
INSTANTIATE("q4_1", Q4_1)
INSTANTIATE("q4_K", Q4_K)
INSTANTIATE("q4_0", Q4_0)
