#include <metal_stdlib>
using namespace metal;

constant int TILE = 16;

// C = A·B for square matrices whose size is a multiple of 16: tiles of A and B pass through threadgroup memory.
kernel void matmul_tiled(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]],
                         constant uint &n [[buffer(3)]], uint2 at [[thread_position_in_grid]],
                         uint2 in [[thread_position_in_threadgroup]]) {
    threadgroup float left[TILE][TILE], right[TILE][TILE];
    float sum = 0;
    for (uint k = 0; k < n; k += TILE) {
        left[in.y][in.x] = a[at.y * n + k + in.x];
        right[in.y][in.x] = b[(k + in.y) * n + at.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int i = 0; i < TILE; i++) sum += left[in.y][i] * right[i][in.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    c[at.y * n + at.x] = sum;
}
