#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

// C = A·B for square matrices whose size is a multiple of 8: each SIMD group computes one 8×8 block.
kernel void matmul_simdgroup(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                             device float *c [[buffer(2)]], constant uint &n [[buffer(3)]],
                             uint2 block [[threadgroup_position_in_grid]]) {
    simdgroup_float8x8 left, right, sum = make_filled_simdgroup_matrix<float, 8>(0.0f);
    for (uint k = 0; k < n; k += 8) {
        simdgroup_load(left, a + block.y * 8 * n + k, n);
        simdgroup_load(right, b + k * n + block.x * 8, n);
        simdgroup_multiply_accumulate(sum, left, right, sum);
    }
    simdgroup_store(sum, c + block.y * 8 * n + block.x * 8, n);
}

// The same with a plain loop, which the result is compared with.
kernel void matmul_plain(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]],
                         constant uint &n [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {
    float sum = 0;
    for (uint k = 0; k < n; k++) sum += a[at.y * n + k] * b[k * n + at.x];
    c[at.y * n + at.x] = sum;
}
