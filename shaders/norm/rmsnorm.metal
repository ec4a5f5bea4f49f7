// x[r,c] = x[r,c] / √(mean of x[r,·]² + eps) · weight[c], in place; computed in float, rounded once.
//
// A threadgroup of threads × rows takes that many rows of x. The squares of a row are summed within SIMD groups, then across them
// through threadgroup memory. Each thread writes only elements that no other thread reads.

#include "common.h"
#include "rows.h"

template <typename T>
struct Squares {
    device const T *at;
    float2 sum;

    void take(uint i) { sum.x = fma(float(at[i]), float(at[i]), sum.x); }

    void take4(uint i) {
        const float4 v = four(at, i);
        sum.x += dot(v, v);
    }
};

template <typename T>
struct Scaled {
    device T *at;
    device const T *weight;
    float scale;

    void take(uint i) { at[i] = T(float(at[i]) * scale * float(weight[i])); }

    void take4(uint i) { put4(at, i, four((device const T *)at, i) * scale * four(weight, i)); }
};

template <typename T>
kernel void rmsnorm(device T *x [[buffer(0)]],
                    device const T *weight [[buffer(1)]],
                    constant RMSNormParams &p [[buffer(2)]],
                    threadgroup float2 *partial [[threadgroup(0)]],
                    uint2 group [[threadgroup_position_in_grid]],
                    uint2 local [[thread_position_in_threadgroup]],
                    uint2 size [[threads_per_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]]) {
    const uint row = group.x * size.y + local.y;
    const bool inside = row < p.rows; // all threads must reach the barrier
    device T *at = x + size_t(inside ? row : 0) * p.cols;
    Squares<T> squares = {at, 0.0f};
    if (inside) each(squares, p.cols, local.x, size.x);
    const float sum = row_sum(squares.sum, partial, local, size, lane).x;
    if (!inside) return;
    Scaled<T> scaled = {at, weight, 1.0f / sqrt(sum / float(p.cols) + p.eps)};
    each(scaled, p.cols, local.x, size.x);
}

template [[host_name("rmsnorm_f32")]] kernel void rmsnorm<float>(
    device float *, device const float *, constant RMSNormParams &, threadgroup float2 *, uint2, uint2, uint2, uint);
template [[host_name("rmsnorm_f16")]] kernel void rmsnorm<half>(
    device half *, device const half *, constant RMSNormParams &, threadgroup float2 *, uint2, uint2, uint2, uint);
#if __METAL_VERSION__ >= 310
template [[host_name("rmsnorm_bf16")]] kernel void rmsnorm<bfloat>(
    device bfloat *, device const bfloat *, constant RMSNormParams &, threadgroup float2 *, uint2, uint2, uint2, uint);
#endif
