// out = act(x ∗ filters + bias). Each thread computes EACH sums, in float, straight from device memory.
//
// By channel, neighboring threads take neighboring pixels, each in EACH output channels; by pixel, neighboring output channels,
// each of EACH pixels.

#include "common.h"
#include "conv.h"

constant constexpr uint EACH = 4; // sums per thread

template <typename T>
static inline void add_by_channel(thread float *sum, device const T *x, device const T *filters, constant ConvParams &p,
                                  uint n, uint o, uint y, uint left) {
    for (uint c = 0; c < p.c; c++) {
        for (uint ky = 0; ky < p.side; ky++) {
            const uint row = y * p.stride + ky - p.pad; // outside the image it wraps around to a huge value
            if (row >= p.h) continue;
            for (uint kx = 0; kx < p.side; kx++) {
                const uint col = left * p.stride + kx - p.pad;
                if (col >= p.w) continue;
                const float v = float(x[input_at(p, n, c, row, col)]);
                for (uint i = 0; i < EACH; i++)
                    sum[i] = fma(v, float(filters[filter_at(p, min(o + i, p.o - 1), c, ky, kx)]), sum[i]);
            }
        }
    }
}

template <typename T>
static inline void add_by_pixel(thread float *sum, device const T *x, device const T *filters, constant ConvParams &p,
                                uint n, uint o, uint y, uint left) {
    for (uint ky = 0; ky < p.side; ky++) {
        const uint row = y * p.stride + ky - p.pad;
        if (row >= p.h) continue;
        for (uint kx = 0; kx < p.side; kx++) {
            for (uint c = 0; c < p.c; c++) {
                const float f = float(filters[filter_at(p, o, c, ky, kx)]);
                for (uint i = 0; i < EACH; i++) {
                    const uint col = (left + i) * p.stride + kx - p.pad;
                    if (col < p.w) sum[i] = fma(float(x[input_at(p, n, c, row, col)]), f, sum[i]);
                }
            }
        }
    }
}

template <typename T>
kernel void conv2d(device const T *x [[buffer(0)]],
                   device const T *filters [[buffer(1)]],
                   device const T *bias [[buffer(2), function_constant(has_bias)]],
                   device T *out [[buffer(3)]],
                   constant ConvParams &p [[buffer(4)]],
                   uint3 at [[thread_position_in_grid]]) {
    const uint rows = CONV_OUT(p.h, p), cols = CONV_OUT(p.w, p), quads = (p.o + EACH - 1) / EACH;
    float sum[EACH] = {};
    if (by_pixel) {
        const uint o = at.x, left = at.y * EACH, y = at.z % rows, n = at.z / rows;
        if (o >= p.o || left >= cols) return;
        add_by_pixel(sum, x, filters, p, n, o, y, left);
        for (uint i = 0; i < EACH && left + i < cols; i++)
            out[output_at(p, n, o, y, left + i)] = T(finished(sum[i], bias, o));
        return;
    }
    const uint left = at.x, y = at.y, o = at.z % quads * EACH, n = at.z / quads;
    if (left >= cols || y >= rows) return;
    add_by_channel(sum, x, filters, p, n, o, y, left);
    for (uint i = 0; i < EACH && o + i < p.o; i++)
        out[output_at(p, n, o + i, y, left)] = T(finished(sum[i], bias, o + i));
}

template [[host_name("conv2d_direct_f32")]] kernel void conv2d<float>(
    device const float *, device const float *, device const float *, device float *, constant ConvParams &, uint3);
template [[host_name("conv2d_direct_f16")]] kernel void conv2d<half>(
    device const half *, device const half *, device const half *, device half *, constant ConvParams &, uint3);
