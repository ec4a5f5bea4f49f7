#include <metal_stdlib>
using namespace metal;

// The mean of three neighbors, but the weights of the edges are forgotten.
kernel void blur(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant uint &n [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
    float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
    y[i] = (left + x[i] + right) / 3;
}
