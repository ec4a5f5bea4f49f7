// Resizes images by bilinear interpolation between the centers of pixels, one thread per output pixel. Positions are computed in
// integers, so that they are exact at any size.

#include "common.h"
#include "params/image.h"

// Two neighboring pixels of a row or a column, and the distance from the first.
struct Place {
    uint first, second;
    float f;
};

// Output pixel i of `to` lies at ((2i + 1) · from − to) / (2 · to) among `from` input pixels.
static inline Place place(uint i, uint from, uint to) {
    const uint twice = (2 * i + 1) * from;
    if (twice <= to) return {0, 0, 0.0f};
    const uint at = (twice - to) / (2 * to), rest = (twice - to) % (2 * to);
    if (at + 1 >= from) return {from - 1, from - 1, 0.0f};
    return {at, at + 1, float(rest) / float(2 * to)};
}

static inline float between(float a, float b, float f) { return a * (1.0f - f) + b * f; }

template <typename T>
kernel void resize(device const T *x [[buffer(0)]],
                   device T *out [[buffer(1)]],
                   constant ResizeParams &p [[buffer(2)]],
                   uint3 id [[thread_position_in_grid]]) {
    if (id.x >= p.outw || id.y >= p.outh) return;
    const Place row = place(id.y, p.h, p.outh), col = place(id.x, p.w, p.outw);
    device const T *upper = x + (size_t(id.z) * p.h + row.first) * p.w * p.c;
    device const T *lower = x + (size_t(id.z) * p.h + row.second) * p.w * p.c;
    device T *to = out + ((size_t(id.z) * p.outh + id.y) * p.outw + id.x) * p.c;
    for (uint c = 0; c < p.c; c++) {
        const uint left = col.first * p.c + c, right = col.second * p.c + c;
        to[c] = T(between(between(float(upper[left]), float(lower[left]), row.f),
                          between(float(upper[right]), float(lower[right]), row.f), col.f));
    }
}

template [[host_name("resize_f32")]] kernel void resize<float>(device const float *, device float *, constant ResizeParams &, uint3);
template [[host_name("resize_f16")]] kernel void resize<half>(device const half *, device half *, constant ResizeParams &, uint3);
