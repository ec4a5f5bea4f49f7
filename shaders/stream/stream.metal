// Memory-bound kernels that measure the available bandwidth: copy (out = x) and triad (out = a + s·b).

#include "common.h"
#include "params/stream.h"

kernel void copy_f32(device const float *x [[buffer(0)]],
                     device float *out [[buffer(1)]],
                     constant CopyParams &p [[buffer(2)]],
                     uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    for (uint i = first; i < last; i++) out[i] = x[i];
}

kernel void triad_f32(device const float *a [[buffer(0)]],
                      device const float *b [[buffer(1)]],
                      device float *out [[buffer(2)]],
                      constant TriadParams &p [[buffer(3)]],
                      uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    for (uint i = first; i < last; i++) out[i] = fma(p.s, b[i], a[i]);
}
