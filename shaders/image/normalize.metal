// out[p,c] = x[p,c] · scale[c] + shift[c]; a thread takes an element.

#include "common.h"
#include "params/image.h"

template <typename T>
kernel void normalize_pixels(device const T *x [[buffer(0)]],
                             device const T *scale [[buffer(1)]],
                             device const T *shift [[buffer(2)]],
                             device T *out [[buffer(3)]],
                             constant NormalizeParams &p [[buffer(4)]],
                             uint id [[thread_position_in_grid]]) {
    if (id >= p.pixels * p.channels) return;
    const uint c = id % p.channels;
    out[id] = T(float(x[id]) * float(scale[c]) + float(shift[c]));
}

template [[host_name("normalize_f32")]] kernel void normalize_pixels<float>(
    device const float *, device const float *, device const float *, device float *, constant NormalizeParams &, uint);
template [[host_name("normalize_f16")]] kernel void normalize_pixels<half>(
    device const half *, device const half *, device const half *, device half *, constant NormalizeParams &, uint);
