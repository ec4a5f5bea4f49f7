// Memory-bound kernels that measure the available bandwidth: copy (out = x) and triad (out = a + s·b). A thread takes four elements.

#include "common.h"
#include "params/stream.h"

kernel void copy_f32(device const float *x [[buffer(0)]],
                     device float *out [[buffer(1)]],
                     constant CopyParams &p [[buffer(2)]],
                     uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    if (first + 4 <= p.n) { // component by component: clang's PTX copies whole structs 8 bytes at a time
        const float4 v = *(device const float4 *)(x + first);
        *(device float4 *)(out + first) = float4(v.x, v.y, v.z, v.w);
    } else for (uint i = first; i < last; i++) out[i] = x[i];
}

kernel void triad_f32(device const float *a [[buffer(0)]],
                      device const float *b [[buffer(1)]],
                      device float *out [[buffer(2)]],
                      constant TriadParams &p [[buffer(3)]],
                      uint id [[thread_position_in_grid]]) {
    const uint first = id * 4, last = min(first + 4, p.n);
    if (first + 4 <= p.n)
        *(device float4 *)(out + first) = fma(float4(p.s), *(device const float4 *)(b + first), *(device const float4 *)(a + first));
    else for (uint i = first; i < last; i++) out[i] = fma(p.s, b[i], a[i]);
}
