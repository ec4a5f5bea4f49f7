// Images under a binomial filter of 3 × 3 or 5 × 5, whose edges repeat; a thread takes a pixel.

#include "common.h"
#include "params/image.h"

constant bool wide [[function_constant(IMAGE_WIDE)]];

// The weight of a pixel d away, in a row or a column.
static inline float weight(int d) {
    const int far = abs(d);
    if (wide) return far == 0 ? 0.375f : far == 1 ? 0.25f : 0.0625f;
    return far == 0 ? 0.5f : 0.25f;
}

template <typename T>
kernel void blur(device const T *x [[buffer(0)]],
                 device T *out [[buffer(1)]],
                 constant BlurParams &p [[buffer(2)]],
                 uint3 id [[thread_position_in_grid]]) {
    if (id.x >= p.w || id.y >= p.h) return;
    const int r = wide ? 2 : 1;
    device const T *image = x + size_t(id.z) * p.h * p.w * p.c;
    device T *to = out + ((size_t(id.z) * p.h + id.y) * p.w + id.x) * p.c;
    for (uint c = 0; c < p.c; c++) {
        float sum = 0.0f;
        for (int dy = -r; dy <= r; dy++) {
            const uint y = uint(clamp(int(id.y) + dy, 0, int(p.h) - 1));
            float row = 0.0f;
            for (int dx = -r; dx <= r; dx++) {
                const uint z = uint(clamp(int(id.x) + dx, 0, int(p.w) - 1));
                row += weight(dx) * float(image[(size_t(y) * p.w + z) * p.c + c]);
            }
            sum += weight(dy) * row;
        }
        to[c] = T(sum);
    }
}

template [[host_name("blur_f32")]] kernel void blur<float>(device const float *, device float *, constant BlurParams &, uint3);
template [[host_name("blur_f16")]] kernel void blur<half>(device const half *, device half *, constant BlurParams &, uint3);
