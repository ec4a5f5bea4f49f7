// Gathers the pixels that each filter is multiplied by, which turns a convolution into a GEMM; one thread per element. By
// channel: out[n][c·side·side][pixels of the output]; by pixel: out[n · pixels][side·side·c], in the order of the filters.

#include "common.h"
#include "conv_layout.h"

template <typename T>
kernel void im2col(device const T *x [[buffer(0)]],
                   device T *out [[buffer(1)]],
                   constant ConvParams &p [[buffer(2)]],
                   uint2 at [[thread_position_in_grid]]) {
    const uint cols = CONV_OUT(p.w, p), pixels = CONV_OUT(p.h, p) * cols, square = p.side * p.side, taps = p.c * square;
    const uint wide = by_pixel ? taps : pixels, high = p.n * (by_pixel ? pixels : taps);
    if (at.x >= wide || at.y >= high) return;
    const uint pixel = by_pixel ? at.y % pixels : at.x, tap = by_pixel ? at.x : at.y % taps;
    const uint n = at.y / (by_pixel ? pixels : taps);
    const uint c = by_pixel ? tap % p.c : tap / square, place = by_pixel ? tap / p.c : tap % square;
    const uint row = pixel / cols * p.stride + place / p.side - p.pad, col = pixel % cols * p.stride + place % p.side - p.pad;
    const bool inside = row < p.h && col < p.w; // positions outside the image have wrapped around
    out[size_t(at.y) * wide + at.x] = inside ? x[input_at(p, n, c, row, col)] : T(0);
}

template [[host_name("im2col_f32")]] kernel void im2col<float>(device const float *, device float *, constant ConvParams &, uint2);
template [[host_name("im2col_f16")]] kernel void im2col<half>(device const half *, device half *, constant ConvParams &, uint2);
