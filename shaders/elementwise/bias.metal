// out[r,c] = x[r,c] + bias[c]; each thread takes four neighboring elements of a row, as a vector where rows are multiples of
// four.

#include "common.h"
#include "params/elementwise.h"

template <typename T>
kernel void add_bias(device const T *x [[buffer(0)]],
                     device const T *bias [[buffer(1)]],
                     device T *out [[buffer(2)]],
                     constant BiasParams &p [[buffer(3)]],
                     uint2 id [[thread_position_in_grid]]) {
    const uint first = id.x * 4;
    if (first >= p.cols || id.y >= p.rows) return;
    const size_t row = size_t(id.y) * p.cols;
    if (p.cols % 4 == 0) {
        const float4 v = float4(*(device const vec<T, 4> *)(x + row + first)), w = float4(*(device const vec<T, 4> *)(bias + first));
        *(device vec<T, 4> *)(out + row + first) = vec<T, 4>(v + w);
        return;
    }
    for (uint c = first; c < min(first + 4, p.cols); c++) out[row + c] = T(float(x[row + c]) + float(bias[c]));
}

template [[host_name("add_bias_f32")]] kernel void add_bias<float>(
    device const float *, device const float *, device float *, constant BiasParams &, uint2);
template [[host_name("add_bias_f16")]] kernel void add_bias<half>(
    device const half *, device const half *, device half *, constant BiasParams &, uint2);
