#include <metal_stdlib>
using namespace metal;

// The last thread reads one element too far.
kernel void difference(device const float *x [[buffer(0)]], device float *d [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    d[i] = x[i + 1] - x[i];
}
