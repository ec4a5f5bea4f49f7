// Kernels that measure latency: threads that chase a list through memory, and threads that do next to nothing.

#include "common.h"
#include "params/stream.h"

// Each load depends on the one before. The list must hold valid indices into itself: a bounds check would add to the latency.
kernel void chase_u32(device const uint *next [[buffer(0)]],
                      device uint *out [[buffer(1)]],
                      constant ChaseParams &p [[buffer(2)]],
                      uint id [[thread_position_in_grid]]) {
    if (id >= p.threads) return;
    uint at = p.first;
    for (uint i = 0; i < p.steps; i++) at = next[at];
    out[id] = at;
}

kernel void stamp_u32(device uint *out [[buffer(0)]],
                      constant StampParams &p [[buffer(1)]],
                      uint id [[thread_position_in_grid]]) {
    if (id < p.n) out[id] = p.value;
}
