// Copies chunks in the order of an index: out = x[index]. One thread per element; an index past the last chunk is clamped to it.

#include "common.h"
#include "params/stream.h"

kernel void gather_f32(device const float *x [[buffer(0)]],
                       device const uint *index [[buffer(1)]],
                       device float *out [[buffer(2)]],
                       constant GatherParams &p [[buffer(3)]],
                       uint id [[thread_position_in_grid]]) {
    if (id >= p.n) return;
    const uint chunk = min(index[id >> p.shift], (p.n >> p.shift) - 1);
    out[id] = x[(chunk << p.shift) + (id & ((1u << p.shift) - 1))];
}
