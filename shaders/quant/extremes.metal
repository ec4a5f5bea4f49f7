// The minimum, the maximum and the sum of magnitudes of each of `parts` equal parts of n floats: the first pass over a tensor
// that is quantized as one block. One threadgroup per part.

#include "common.h"
#include "extremes.h"
#include "params/quant.h"

kernel void extremes_f32(device const float *x [[buffer(0)]],
                         device float *lo [[buffer(1)]],
                         device float *hi [[buffer(2)]],
                         device float *sum [[buffer(3)]],
                         constant ExtremesParams &p [[buffer(4)]],
                         uint index [[threadgroup_position_in_grid]],
                         uint id [[thread_position_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]],
                         uint lane [[thread_index_in_simdgroup]],
                         uint simd [[simdgroup_index_in_threadgroup]],
                         uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float scratch[32];
    const uint part = p.n / p.parts + (p.n % p.parts != 0);
    const size_t first = min(size_t(index) * part, size_t(p.n)), last = min(first + part, size_t(p.n));
    float least = INFINITY, greatest = -INFINITY, size = 0.0f;
    for (size_t i = first + id; i < last; i += threads) {
        least = min(least, x[i]);
        greatest = max(greatest, x[i]);
        size += abs(x[i]);
    }
    least = reduce_group(least, false, scratch, lane, simd, simds);
    greatest = reduce_group(greatest, true, scratch, lane, simd, simds);
    size = sum_group(size, scratch, lane, simd, simds);
    if (id > 0) return;
    lo[index] = least;
    hi[index] = greatest;
    sum[index] = size;
}
