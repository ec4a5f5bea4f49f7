// out[p,c] = x[p,c] · scale[c] + shift[c]; each thread takes 16 bytes of x.

#include "common.h"
#include "wide.h"
#include "params/image.h"

template <typename T>
kernel void normalize_pixels(device const T *x [[buffer(0)]],
                             device const T *scale [[buffer(1)]],
                             device const T *shift [[buffer(2)]],
                             device T *out [[buffer(3)]],
                             constant NormalizeParams &p [[buffer(4)]],
                             uint id [[thread_position_in_grid]]) {
    const uint n = p.pixels * p.channels, first = id * Wide<T>::COUNT;
    if (first >= n) return;
    uint c = first % p.channels;
    if (first + Wide<T>::COUNT > n) {
        for (uint i = first; i < n; i++) {
            out[i] = T(float(x[i]) * float(scale[c]) + float(shift[c]));
            c = c + 1 == p.channels ? 0 : c + 1;
        }
        return;
    }
    float4 v[Wide<T>::FOURS];
    Wide<T>::load(x + first, v);
    for (uint i = 0; i < Wide<T>::COUNT; i++) {
        v[i / 4][i % 4] = v[i / 4][i % 4] * float(scale[c]) + float(shift[c]);
        c = c + 1 == p.channels ? 0 : c + 1;
    }
    Wide<T>::store(out + first, v);
}

template [[host_name("normalize_f32")]] kernel void normalize_pixels<float>(
    device const float *, device const float *, device const float *, device float *, constant NormalizeParams &, uint);
template [[host_name("normalize_f16")]] kernel void normalize_pixels<half>(
    device const half *, device const half *, device const half *, device half *, constant NormalizeParams &, uint);
