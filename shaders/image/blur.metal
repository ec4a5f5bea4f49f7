// A 3 × 3 or 5 × 5 binomial filter over images, with edge pixels repeated. A thread computes ROWS elements of a column: it
// filters along the rows first, then those results along the column.

#include "common.h"
#include "params/image.h"

constant bool wide [[function_constant(IMAGE_WIDE)]];

// The weight of a pixel at distance d, along a row or a column.
static inline float weight(int d) {
    const int far = abs(d);
    if (wide) return far == 0 ? 0.375f : far == 1 ? 0.25f : 0.0625f;
    return far == 0 ? 0.5f : 0.25f;
}

constant constexpr int ROWS = 8, MAX_R = 2;

// The offsets of an element's neighbors in a row of w pixels of c channels, from MAX_R pixels before it on.
struct Neighbors {
    uint at[2 * MAX_R + 1];

    static Neighbors of(uint element, uint w, uint c) {
        Neighbors n;
        const int x = int(element / c);
        for (int d = -MAX_R; d <= MAX_R; d++) n.at[d + MAX_R] = uint(clamp(x + d, 0, int(w) - 1) - x) * c + element;
        return n;
    }
};

template <typename T>
static inline float filtered(device const T *row, thread const Neighbors &n) {
    float sum = 0.0f;
    for (int d = -MAX_R; d <= MAX_R; d++)
        if (wide || abs(d) <= 1) sum += weight(d) * float(row[n.at[d + MAX_R]]);
    return sum;
}

template <typename T>
kernel void blur(device const T *x [[buffer(0)]],
                 device T *out [[buffer(1)]],
                 constant BlurParams &p [[buffer(2)]],
                 uint3 id [[thread_position_in_grid]]) {
    const uint width = p.w * p.c, first = id.y * ROWS;
    if (id.x >= width || first >= p.h) return;
    const int r = wide ? 2 : 1;
    const Neighbors n = Neighbors::of(id.x, p.w, p.c);
    device const T *image = x + size_t(id.z) * p.h * width;
    float rows[ROWS + 2 * MAX_R];
    for (int i = 0; i < ROWS + 2 * MAX_R; i++)
        if (i < ROWS + 2 * r) rows[i] = filtered(image + size_t(clamp(int(first) + i - r, 0, int(p.h) - 1)) * width, n);
    device T *to = out + (size_t(id.z) * p.h + first) * width + id.x;
    for (int i = 0; i < ROWS; i++) {
        float sum = 0.0f;
        for (int d = 0; d < 2 * MAX_R + 1; d++)
            if (d < 2 * r + 1) sum += weight(d - r) * rows[i + d];
        if (first + uint(i) < p.h) to[size_t(i) * width] = T(sum);
    }
}

template [[host_name("blur_f32")]] kernel void blur<float>(device const float *, device float *, constant BlurParams &, uint3);
template [[host_name("blur_f16")]] kernel void blur<half>(device const half *, device half *, constant BlurParams &, uint3);
