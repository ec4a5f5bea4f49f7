// out[m,n] = act(a · b + bias[n]) as in matmul.metal, one thread per element of the output: the baseline for the other kernels.

#include "common.h"
#include "matmul.h"

template <typename T>
kernel void matmul_naive(device const T *a [[buffer(0)]],
                         device const T *b [[buffer(1)]],
                         device const T *bias [[buffer(2), function_constant(has_bias)]],
                         device T *out [[buffer(3)]],
                         constant MatmulParams &p [[buffer(4)]],
                         uint3 at [[thread_position_in_grid]]) {
    if (at.x >= p.n || at.y >= p.m) return;
    const Lines<T> rows = rows_of(a, p, at.z), columns = columns_of(b, p, at.z);
    float sum = 0.0f;
    for (uint d = 0; d < p.k; d++) sum = fma(float(*rows.address(at.y, d)), float(*columns.address(at.x, d)), sum);
    out[(size_t(at.z) * p.m + at.y) * p.n + at.x] = T(finished(sum, bias, at.x));
}

#define INSTANTIATE(name, type)                                                                        \
    template [[host_name(name)]] kernel void matmul_naive<type>(device const type *, device const type *, \
                                                                device const type *, device type *,       \
                                                                constant MatmulParams &, uint3);

INSTANTIATE("matmul_naive_f32", float)
INSTANTIATE("matmul_naive_f16", half)
#if __METAL_VERSION__ >= 310
INSTANTIATE("matmul_naive_bf16", bfloat)
#endif
