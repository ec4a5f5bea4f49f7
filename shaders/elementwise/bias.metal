// out[r,c] = x[r,c] + bias[c]; a thread takes an element.

#include "common.h"
#include "params/elementwise.h"

template <typename T>
kernel void add_bias(device const T *x [[buffer(0)]],
                     device const T *bias [[buffer(1)]],
                     device T *out [[buffer(2)]],
                     constant BiasParams &p [[buffer(3)]],
                     uint2 id [[thread_position_in_grid]]) {
    if (id.x >= p.cols || id.y >= p.rows) return;
    const size_t at = size_t(id.y) * p.cols + id.x;
    out[at] = T(float(x[at]) + float(bias[id.x]));
}

template [[host_name("add_bias_f32")]] kernel void add_bias<float>(
    device const float *, device const float *, device float *, constant BiasParams &, uint2);
template [[host_name("add_bias_f16")]] kernel void add_bias<half>(
    device const half *, device const half *, device half *, constant BiasParams &, uint2);
