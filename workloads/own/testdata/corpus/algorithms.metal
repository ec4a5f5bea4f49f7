#include <metal_stdlib>
using namespace metal;

constant uint WIDTH [[function_constant(0)]];
constant bool EXCLUSIVE [[function_constant(1)]];
constant float SCALE [[function_constant(2)]];

kernel void scan(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]], uint i [[thread_position_in_grid]],
                 uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]]) {
    threadgroup uint sums[32];
    const uint x = in[i], own = simd_prefix_inclusive_sum(x);
    if (lane == 31) sums[simd] = own;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd == 0) sums[lane] = simd_prefix_exclusive_sum(lane < WIDTH / 32 ? sums[lane] : 0u);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = sums[simd] + own - (EXCLUSIVE ? x : 0u);
}

kernel void transpose(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint2 &size [[buffer(2)]],
                      uint2 group [[threadgroup_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
    threadgroup float tile[16][17];
    uint2 from = group * 16 + t;
    if (all(from < size)) tile[t.y][t.x] = in[from.y * size.x + from.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint2 to = group.yx * 16 + t;
    if (to.x < size.y && to.y < size.x) out[to.y * size.y + to.x] = tile[t.x][t.y];
}

kernel void bitonic(device float *x [[buffer(0)]], uint t [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    threadgroup float kept[256];
    kept[t] = x[t];
    for (uint k = 2; k <= n; k *= 2)
        for (uint j = k / 2; j > 0; j /= 2) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
            const uint other = t ^ j;
            const float a = kept[t], b = kept[other];
            const bool up = (t & k) == 0, lower = t < other;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            kept[t] = (up == lower) ? min(a, b) : max(a, b);
        }
    x[t] = kept[t];
}

kernel void spmv(device const uint *starts [[buffer(0)]], device const uint *columns [[buffer(1)]], device const float *values [[buffer(2)]],
                 device const float *x [[buffer(3)]], device float *y [[buffer(4)]], uint row [[thread_position_in_grid]]) {
    float sum = 0;
    for (uint i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
}

kernel void dot_atomic(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device atomic_float *sum [[buffer(2)]],
                       uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    const float s = simd_sum(a[i] * b[i]);
    if (lane == 0) atomic_fetch_add_explicit(sum, s, memory_order_relaxed);
}

kernel void argmax(device const float *x [[buffer(0)]], device uint *at [[buffer(1)]], constant uint &n [[buffer(2)]],
                   uint t [[thread_index_in_threadgroup]]) {
    threadgroup float best[64];
    threadgroup uint where[64];
    float top = -INFINITY;
    uint index = 0;
    for (uint i = t; i < n; i += 64)
        if (x[i] > top) { top = x[i]; index = i; }
    best[t] = top;
    where[t] = index;
    for (uint step = 32; step > 0; step /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < step && (best[t + step] > best[t] || (best[t + step] == best[t] && where[t + step] < where[t]))) {
            best[t] = best[t + step];
            where[t] = where[t + step];
        }
    }
    if (t == 0) at[0] = where[0];
}

kernel void scale(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], uint i [[thread_position_in_grid]]) { y[i] = SCALE * x[i]; }

kernel void gather_pairs(device const packed_float3 *p [[buffer(0)]], device const uint2 *pairs [[buffer(1)]], device float *length_of [[buffer(2)]],
                         uint i [[thread_position_in_grid]]) {
    length_of[i] = distance(float3(p[pairs[i].x]), float3(p[pairs[i].y]));
}

kernel void random(device uint *out [[buffer(0)]], constant uint &seed [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    uint x = i * 747796405u + seed;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    out[i] = (x >> 22) ^ x;
}

kernel void popcounts(device const ulong *x [[buffer(0)]], device uint *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = popcount(uint(x[i])) + popcount(uint(x[i] >> 32));
}
