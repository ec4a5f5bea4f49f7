#include <metal_stdlib>
using namespace metal;

template <typename T>
kernel void gemm_tiled(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device T *c [[buffer(2)]], constant uint3 &mnk [[buffer(3)]],
                       uint2 at [[thread_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
    threadgroup T left[8][8], right[8][8];
    float sum = 0;
    for (uint k = 0; k < mnk.z; k += 8) {
        left[t.y][t.x] = at.y < mnk.x && k + t.x < mnk.z ? a[at.y * mnk.z + k + t.x] : T(0);
        right[t.y][t.x] = at.x < mnk.y && k + t.y < mnk.z ? b[(k + t.y) * mnk.y + at.x] : T(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < 8; i++) sum += float(left[t.y][i]) * float(right[i][t.x]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.y < mnk.x && at.x < mnk.y) c[at.y * mnk.y + at.x] = T(sum);
}

template [[host_name("gemm_float")]] kernel void gemm_tiled<float>(device const float *, device const float *, device float *, constant uint3 &, uint2, uint2);
template [[host_name("gemm_half")]] kernel void gemm_tiled<half>(device const half *, device const half *, device half *, constant uint3 &, uint2, uint2);

kernel void matrix_apply(device const float4x4 *m [[buffer(0)]], device const float4 *v [[buffer(1)]], device float4 *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = m[0] * v[i];
}
