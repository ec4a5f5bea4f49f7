// out[p] = the weighted sum of red, green and blue of pixel p, one thread per pixel.

#include "common.h"
#include "params/image.h"

template <typename T>
kernel void gray(device const T *x [[buffer(0)]],
                 device T *out [[buffer(1)]],
                 constant GrayParams &p [[buffer(2)]],
                 uint id [[thread_position_in_grid]]) {
    if (id >= p.pixels) return;
    device const T *pixel = x + size_t(id) * p.channels;
    out[id] = T(GRAY_RED * float(pixel[0]) + GRAY_GREEN * float(pixel[1]) + GRAY_BLUE * float(pixel[2]));
}

template [[host_name("gray_f32")]] kernel void gray<float>(device const float *, device float *, constant GrayParams &, uint);
template [[host_name("gray_f16")]] kernel void gray<half>(device const half *, device half *, constant GrayParams &, uint);
