#include <metal_stdlib>
using namespace metal;

// Only half of the threads reach the barrier: on a GPU that hangs or goes on with what is not yet written.
kernel void half_wait(device float *x [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup float kept[64];
    kept[i] = x[i];
    if (i < 32) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        x[i] = kept[63 - i];
    }
}
