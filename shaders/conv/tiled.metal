// out = act(x ∗ filters + bias) for 16 × 16 pixels of EACH output channels per threadgroup. The input pixels that these need and
// the filters pass through threadgroup memory, some input channels at a time. Sums are in float.

#include "common.h"
#include "conv.h"

constant constexpr uint EACH = CONV_TILE_OUTPUTS; // output channels per thread, which has one pixel
constant constexpr uint TILE = CONV_TILE;

template <typename T>
kernel void conv2d(device const T *x [[buffer(0)]],
                   device const T *filters [[buffer(1)]],
                   device const T *bias [[buffer(2), function_constant(has_bias)]],
                   device T *out [[buffer(3)]],
                   constant ConvParams &p [[buffer(4)]],
                   threadgroup float *pixels [[threadgroup(0)]],
                   threadgroup float *taps [[threadgroup(1)]],
                   uint3 group [[threadgroup_position_in_grid]],
                   uint3 local [[thread_position_in_threadgroup]]) {
    const uint rows = CONV_OUT(p.h, p), cols = CONV_OUT(p.w, p), blocks = (p.o + EACH - 1) / EACH;
    const uint o = group.z % blocks * EACH, n = group.z / blocks, id = local.y * TILE + local.x;
    const uint edge = CONV_TILE_EDGE(p), area = edge * edge, square = p.side * p.side;
    const uint chunk = min(p.c, CONV_TILE_CHANNELS(p));
    const uint top = group.y * TILE * p.stride - p.pad, left = group.x * TILE * p.stride - p.pad; // may wrap around
    float sum[EACH] = {};
    for (uint first = 0; first < p.c; first += chunk) {
        const uint count = min(chunk, p.c - first);
        for (uint e = id; e < count * area; e += TILE * TILE) {
            const uint c = by_pixel ? e % count : e / area, at = by_pixel ? e / count : e % area;
            const uint row = top + at / edge, col = left + at % edge;
            const bool inside = row < p.h && col < p.w;
            pixels[c * area + at] = inside ? float(x[input_at(p, n, first + c, row, col)]) : 0.0f;
        }
        for (uint e = id; e < count * square * EACH; e += TILE * TILE) {
            const uint i = e % EACH, at = e / EACH, c = at / square, tap = at % square;
            const bool inside = o + i < p.o;
            taps[e] = inside ? float(filters[filter_at(p, o + i, first + c, tap / p.side, tap % p.side)]) : 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint c = 0; c < count; c++) {
            for (uint ky = 0; ky < p.side; ky++) {
                threadgroup const float *line = pixels + c * area + (local.y * p.stride + ky) * edge + local.x * p.stride;
                threadgroup const float *tap = taps + (c * square + ky * p.side) * EACH;
                for (uint kx = 0; kx < p.side; kx++) {
                    for (uint i = 0; i < EACH; i++) sum[i] = fma(line[kx], tap[kx * EACH + i], sum[i]);
                }
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    const uint row = group.y * TILE + local.y, col = group.x * TILE + local.x;
    if (row >= rows || col >= cols) return;
    for (uint i = 0; i < EACH && o + i < p.o; i++)
        out[output_at(p, n, o + i, row, col)] = T(finished(sum[i], bias, o + i));
}

template [[host_name("conv2d_tiled_f32")]] kernel void conv2d<float>(
    device const float *, device const float *, device const float *, device float *, constant ConvParams &,
    threadgroup float *, threadgroup float *, uint3, uint3);
template [[host_name("conv2d_tiled_f16")]] kernel void conv2d<half>(
    device const half *, device const half *, device const half *, device half *, constant ConvParams &,
    threadgroup float *, threadgroup float *, uint3, uint3);
