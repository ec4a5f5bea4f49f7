#include <metal_stdlib>
using namespace metal;

// Each thread stores a number for the others, and reads that of another: before it is there, in some orders.
kernel void count(device const uint *x [[buffer(0)]], device uint *total [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    threadgroup uint seen[256];
    seen[i % 256] = x[i];
    total[i] = seen[(i + 37) % 256]; // a threadgroup_barrier is missing before this line
}
