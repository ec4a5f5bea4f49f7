#include <metal_stdlib>
using namespace metal;

kernel void grayscale(device const uchar4 *in [[buffer(0)]], device uchar *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = uchar((uint(in[i].x) * 77 + uint(in[i].y) * 150 + uint(in[i].z) * 29) >> 8);
}

static float pixel(device const float *in, int2 at, int2 size) {
    at = clamp(at, int2(0), size - 1);
    return in[at.y * size.x + at.x];
}

kernel void box_blur(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant int2 &size [[buffer(2)]],
                     constant int &radius [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {
    float sum = 0;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++) sum += pixel(in, int2(at) + int2(x, y), size);
    const int side = 2 * radius + 1;
    out[at.y * size.x + at.x] = sum / (side * side);
}

kernel void histogram(device const uchar *in [[buffer(0)]], device atomic_uint *bins [[buffer(1)]], constant uint &n [[buffer(2)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup atomic_uint local[256];
    atomic_store_explicit(&local[t], 0, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < n) atomic_fetch_add_explicit(&local[in[i]], 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&bins[t], atomic_load_explicit(&local[t], memory_order_relaxed), memory_order_relaxed);
}

kernel void mandelbrot(device ushort *out [[buffer(0)]], constant uint &width [[buffer(1)]], uint2 at [[thread_position_in_grid]]) {
    float2 c = float2(at) / 16.0f - float2(2.0f, 1.0f), z = 0;
    ushort steps = 0;
    while (steps < 50 && dot(z, z) < 4) {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        steps++;
    }
    out[at.y * width + at.x] = steps;
}
