// out[c] = the sum of x[·,c]. A threadgroup takes 32 columns: each of its SIMD groups adds some of the rows, and the first one
// what the others found.

#include "common.h"
#include "params/train.h"

template <typename T>
kernel void column_sum(device const T *x [[buffer(0)]],
                       device T *out [[buffer(1)]],
                       constant ColumnSumParams &p [[buffer(2)]],
                       threadgroup float *partial [[threadgroup(0)]],
                       uint2 group [[threadgroup_position_in_grid]],
                       uint2 local [[thread_position_in_threadgroup]],
                       uint2 size [[threads_per_threadgroup]]) {
    const uint col = group.x * size.x + local.x;
    float sum = 0.0f;
    if (col < p.cols) {
        for (uint r = local.y; r < p.rows; r += size.y) sum += float(x[size_t(r) * p.cols + col]);
    }
    partial[local.y * size.x + local.x] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (local.y > 0 || col >= p.cols) return;
    for (uint i = 1; i < size.y; i++) sum += partial[i * size.x + local.x];
    out[col] = T(sum);
}

template [[host_name("column_sum_f32")]] kernel void column_sum<float>(
    device const float *, device float *, constant ColumnSumParams &, threadgroup float *, uint2, uint2, uint2);
template [[host_name("column_sum_f16")]] kernel void column_sum<half>(
    device const half *, device half *, constant ColumnSumParams &, threadgroup float *, uint2, uint2, uint2);
