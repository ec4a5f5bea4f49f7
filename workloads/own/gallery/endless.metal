#include <metal_stdlib>
using namespace metal;

// Waits for a flag that nobody sets.
kernel void wait_forever(device atomic_uint *flag [[buffer(0)]], device uint *done [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    while (atomic_load_explicit(flag, memory_order_relaxed) == 0) {
    }
    done[i] = 1;
}
