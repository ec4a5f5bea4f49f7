#include <metal_stdlib>
using namespace metal;

kernel void mandelbrot_plain(device ushort *out [[buffer(0)]], constant uint &width [[buffer(1)]], uint2 at [[thread_position_in_grid]]) {
    float a = at.x / 16.0f - 2.0f, b = at.y / 16.0f - 1.0f, x = 0, y = 0;
    ushort steps = 0;
    for (; steps < 50; steps++) {
        if (x * x + y * y >= 4) break;
        float next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
    }
    out[at.y * width + at.x] = steps;
}
