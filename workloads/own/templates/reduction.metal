#include <metal_stdlib>
using namespace metal;

// The sum of each threadgroup's 256 numbers: within SIMD groups first, then across them.
kernel void sum(device const float *x [[buffer(0)]], device float *sums [[buffer(1)]], constant uint &n [[buffer(2)]],
                uint i [[thread_position_in_grid]], uint group [[threadgroup_position_in_grid]],
                uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]],
                uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[32];
    float s = simd_sum(i < n ? x[i] : 0.0f);
    if (lane == 0) partial[simd] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd == 0) {
        s = simd_sum(lane < simds ? partial[lane] : 0.0f);
        if (lane == 0) sums[group] = s;
    }
}
